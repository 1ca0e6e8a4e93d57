import { openAsBlob } from "node:fs";
import { basename, extname } from "node:path";

/** Formats that share their first bytes with another; the file's extension tells them apart. */
const NARROWER: Readonly<Record<string, string>> = {
  "mp4.mov": "video/quicktime",
  "x-matroska.webm": "video/webm",
};

export interface Clip {
  readonly kind: "clip";
  /** The file name without folder and extension. */
  readonly name: string;
  readonly path: string;
  /** Read from disk only during the upload. */
  readonly file: Blob;
  readonly contentType: string;
  /** "12.5 MB". */
  readonly size: string;
}

/** Opens a clip. @param format the subtype of the media type, as its first bytes tell */
export async function readClip(path: string, format: string): Promise<Clip> {
  const extension = extname(path);
  const contentType = NARROWER[`${format}${extension.toLowerCase()}`] ?? `video/${format}`;
  const file = await openAsBlob(path);
  const size = `${(file.size / 1_000_000).toFixed(1)} MB`;
  return { kind: "clip", name: basename(path, extension), path, file, contentType, size };
}

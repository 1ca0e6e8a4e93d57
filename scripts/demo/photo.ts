import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import sharp from "sharp";
import { usageError } from "../shared/command-line.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
  heif: "image/avif",
};

export interface Photo {
  readonly kind: "photo";
  /** The file name without folder and extension. */
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** "600×400". */
  readonly size: string;
}

/** Reads a photograph. @throws Failure, a usage error, if it is not one */
export async function readPhoto(path: string): Promise<Photo> {
  const file = new Uint8Array(await readFile(path));
  const header = await sharp(file)
    .metadata()
    .catch(() => null);
  const contentType = header && CONTENT_TYPES[header.format];
  if (!header || !contentType)
    throw usageError(
      `${path} is neither a picture (JPEG, PNG, WebP, GIF, AVIF) nor a clip (MP4, MOV, WebM, MKV, AVI).`,
    );
  const name = basename(path, extname(path));
  return { kind: "photo", name, file, contentType, size: `${header.width}×${header.height}` };
}

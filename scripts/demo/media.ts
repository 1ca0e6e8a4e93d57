import { openAsBlob } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import sharp from "sharp";
import { SNIFF_BYTES, sniffMedia } from "../../src/core/uploads/media-type.ts";
import { Failure, usageError } from "../shared/command-line.ts";
import { codeOf, messageOf } from "../shared/error-parts.ts";

export type Media = Photo | Clip;

/** Reads a photograph or a clip; its bytes decide which. @throws Failure, a usage error that says why it cannot */
export async function readMedia(path: string): Promise<Media> {
  try {
    const sniffed = sniffMedia(await readHead(path));
    return sniffed?.type === "video" ? await readClip(path, sniffed.format) : await readPhoto(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (codeOf(error) === "ENOENT") throw usageError(`There is no file ${path}.`);
    throw usageError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(SNIFF_BYTES));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Formats that share their first bytes with another; the file's extension distinguishes them. */
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

/** Opens a clip. @param format the subtype of the media type, according to its first bytes */
async function readClip(path: string, format: string): Promise<Clip> {
  const extension = extname(path);
  const contentType = NARROWER[`${format}${extension.toLowerCase()}`] ?? `video/${format}`;
  const file = await openAsBlob(path);
  const size = `${(file.size / 1_000_000).toFixed(1)} MB`;
  return { kind: "clip", name: basename(path, extension), path, file, contentType, size };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
  heif: "image/avif",
};

interface Photo {
  readonly kind: "photo";
  /** The file name without folder and extension. */
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** "600×400". */
  readonly size: string;
}

/** Reads a photograph. @throws Failure, a usage error, if it is not one */
async function readPhoto(path: string): Promise<Photo> {
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

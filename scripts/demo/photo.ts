import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import sharp from "sharp";
import { codeOf, messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
  heif: "image/avif",
};

export interface Photo {
  /** The file's name without folder and extension. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** "600×400". */
  readonly size: string;
}

/** Reads a photograph; a usage error says why when it can't be. */
export async function readPhoto(path: string): Promise<Photo> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw usageError(`There is no file ${path}.`);
    throw usageError(`The photograph can't be read: ${messageOf(error)}`);
  }
  const header = await sharp(bytes)
    .metadata()
    .catch(() => null);
  const contentType = header && CONTENT_TYPES[header.format];
  if (!header || !contentType) throw usageError(`${path} is not a JPEG, PNG, WebP, GIF or AVIF picture.`);
  const name = basename(path, extname(path));
  return { name, bytes, contentType, size: `${header.width}×${header.height}` };
}

import { open } from "node:fs/promises";
import { SNIFF_BYTES, sniffMedia } from "../../src/core/uploads/media-type.ts";
import { Failure, usageError } from "../shared/command-line.ts";
import { codeOf, messageOf } from "../shared/error-parts.ts";
import { type Clip, readClip } from "./clip.ts";
import { type Photo, readPhoto } from "./photo.ts";

export type Media = Photo | Clip;

/** Reads a photograph or a clip; its bytes tell which. @throws Failure, a usage error that says why it cannot */
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

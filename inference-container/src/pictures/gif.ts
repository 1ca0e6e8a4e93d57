/** Reads parts of a GIF file's structure (GIF89a) that its decoder leaves out. */
import type { FileHandle } from "node:fs/promises";
import type { Size } from "@segmentation/masks";
import { pagedReader, readAt } from "../file-reads.ts";

export interface GifStructure {
  /** The area that viewers show: the screen, or more if the first frame extends beyond it. */
  readonly canvas: Size;
  /** The place of the first frame on the canvas; absent if the file ends before it. */
  readonly frame?: Size & { readonly left: number; readonly top: number };
}

const TRAILER = 0x3b;
const IMAGE = 0x2c;
const EXTENSION = 0x21;

/** The number of bytes in the color table that these flags announce. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Walks from block to block until one is found. @param visit returns whether this one is */
async function walk(
  file: FileHandle,
  size: number,
  visit: (block: number, at: number) => boolean,
): Promise<void> {
  const read = pagedReader(file);
  const byteAt = async (at: number): Promise<number> => (await read(at, 1))[0] ?? 0;
  let at = 13 + tableBytes(await byteAt(10));
  while (at < size) {
    const block = await byteAt(at);
    if (visit(block, at)) return;
    if (block === IMAGE) at += 11 + tableBytes(await byteAt(at + 9));
    else if (block === EXTENSION) at += 2;
    else return;
    // Pieces of data, each after its length; a piece of no bytes ends them.
    for (let length = await byteAt(at); length > 0 && at < size; length = await byteAt(at)) at += 1 + length;
    at += 1;
  }
}

/** The canvas, and the first frame's place on it. */
export async function readGif(file: FileHandle, size: number): Promise<GifStructure> {
  const head = await readAt(file, 0, 10);
  const screen = { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  let place = size;
  await walk(file, size, (block, at) => {
    if (block === IMAGE) place = at;
    return block === IMAGE;
  });
  if (place + 10 > size) return { canvas: screen };
  const fields = await readAt(file, place + 1, 8);
  const [left, top] = [fields.readUInt16LE(0), fields.readUInt16LE(2)];
  const [width, height] = [fields.readUInt16LE(4), fields.readUInt16LE(6)];
  return {
    canvas: {
      width: Math.max(screen.width, left + width),
      height: Math.max(screen.height, top + height),
    },
    frame: { left, top, width, height },
  };
}

/** True if the file is complete. */
export async function isWholeGif(file: FileHandle, size: number): Promise<boolean> {
  let isWhole = false;
  await walk(file, size, (block) => {
    isWhole ||= block === TRAILER;
    return isWhole;
  });
  return isWhole;
}

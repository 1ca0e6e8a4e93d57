import type { FileHandle } from "node:fs/promises";
import type { PictureFormat } from "./signature.ts";

/** How many bytes of a file's end are searched: cameras and editors append some bytes of their own. */
const TAIL_BYTES = 65_536;

/**
 * Whether a file that can't be decoded stops before its format's end: JPEG's EOI marker, PNG's IEND chunk, GIF's
 * trailer, or the size that WebP's RIFF header or AVIF's last box announces.
 */
export async function stopsEarly(file: FileHandle, size: number, format: PictureFormat): Promise<boolean> {
  switch (format) {
    case "jpeg":
      return !(await readTail(file, size)).includes(Buffer.from([0xff, 0xd9]));
    case "png":
      return !(await readTail(file, size)).includes("IEND");
    case "gif":
      return (await readTail(file, size)).at(-1) !== 0x3b;
    case "webp":
      return (await readAt(file, 4, 4)).readUInt32LE(0) + 8 > size;
    case "avif":
      return boxesOverrun(file, size);
  }
}

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, TAIL_BYTES);
  return readAt(file, size - length, length);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}

/** Walks the top-level boxes (ISO/IEC 14496-12, 4.2): a 32-bit size, 1 for a 64-bit one that follows, 0 for "to the end". */
async function boxesOverrun(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  while (at + 8 <= size) {
    const head = await readAt(file, at, 16);
    const short = head.readUInt32BE(0);
    if (short === 0) return false;
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (length < 8) return false;
    at += length;
  }
  return at !== size;
}

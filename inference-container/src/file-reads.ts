/** Reads parts of a file. */
import type { FileHandle } from "node:fs/promises";
import { HEAD_BYTES } from "@segmentation/masks";

/** A file's first bytes, which show its format. */
export async function readHead(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Reads `length` bytes at a position in a file; bytes past its end are zeros. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}

/** Bytes that the system reads at once. */
const PAGE_BYTES = 4_096;

/** Reads as `readAt` does, up to a page at once: small elements come by the thousand, and each would cost a read. */
export function pagedReader(file: FileHandle): (position: number, length: number) => Promise<Buffer> {
  let from = 0;
  let page: Buffer = Buffer.alloc(0);
  return async (position, length) => {
    if (position < from || position + length > from + page.length) {
      page = await readAt(file, position, PAGE_BYTES);
      from = position;
    }
    return page.subarray(position - from, position - from + length);
  };
}

/** A box of an ISO base media file: its content is from `body` to `end`, which it announces. */
export interface FileBox {
  readonly type: string;
  readonly body: number;
  readonly end: number;
}

/**
 * The boxes of an ISO base media file between two positions (ISO/IEC 14496-12, 4.2), by default the outermost. A box
 * has a 32-bit size and a type: with size 1 a 64-bit size follows the type, with size 0 the box ends with the file.
 * Ends at the first bytes that are no box.
 */
export async function* boxesOf(file: FileHandle, until: number, from = 0): AsyncGenerator<FileBox> {
  const read = pagedReader(file);
  for (let at = from; at + 8 <= until;) {
    const head = await read(at, 16);
    const short = head.readUInt32BE(0);
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    const body = at + (short === 1 ? 16 : 8);
    at = length < 8 ? until : at + length;
    yield { type: head.toString("latin1", 4, 8), body, end: at };
  }
}

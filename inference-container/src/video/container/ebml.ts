import type { FileHandle } from "node:fs/promises";
import { pagedReader } from "../../file-reads.ts";

/** An element of a Matroska file: its content is from `body` to `end`, which it announces; endless if its size is unknown. */
export interface Element {
  readonly id: number;
  readonly body: number;
  readonly end: number;
}

/** The element that has all others but the header (RFC 9559, section 5.1). */
export const SEGMENT = 0x18538067;

/** The elements between two places of a file (RFC 8794). Ends at the first bytes that are no element. */
export async function* elementsOf(file: FileHandle, until: number, from = 0): AsyncGenerator<Element> {
  const read = pagedReader(file);
  for (let at = from; at + 2 <= until;) {
    const head = await read(at, 12);
    const width = Math.clz32(head[0] ?? 0) - 23;
    if (width > 4) return;
    const size = readSize(head.subarray(width));
    const body = at + width + size.width;
    at = body + size.size;
    yield { id: head.readUIntBE(0, width), body, end: at };
  }
}

/** RFC 8794, section 4: the number of leading zero bits is that of further bytes; all ones mean an unknown size. */
function readSize(bytes: Buffer): { width: number; size: number } {
  const width = Math.min(Math.clz32(bytes[0] ?? 0) - 23, 8);
  const size = Number(BigInt.asUintN(7 * width, bytes.readBigUInt64BE(0) >> BigInt(64 - 8 * width)));
  return { width, size: size >= 2 ** (7 * width) - 1 ? Infinity : size };
}

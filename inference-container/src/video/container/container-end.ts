import type { FileHandle } from "node:fs/promises";
import type { Container } from "../input-arguments.ts";
import { taskFailure } from "../../failures.ts";
import { boxesOf, pagedReader } from "../../file-reads.ts";
import { elementsOf, SEGMENT } from "./ebml.ts";

/** A film of two hours in fragments of half a second has 30,000 boxes, most of which cost a read. */
const MOST_ELEMENTS = 100_000;

/**
 * True if a file stops before the end that the sizes in its outermost elements announce, or lacks its index.
 *
 * @param size of the file in bytes
 * @throws TaskFailure named video_unreadable if there are too many such elements; the signal's reason
 */
export async function endsEarly(
  file: FileHandle,
  size: number,
  container: Container,
  signal: AbortSignal,
): Promise<boolean> {
  switch (container) {
    case "mov":
      return boxesEndEarly(file, size, signal);
    case "matroska":
      return segmentEndsEarly(file, size);
    case "avi":
      return chunksEndEarly(file, size, signal);
  }
}

/** Other bytes may follow the last box. A recording that was never finished has no `moov` box. */
async function boxesEndEarly(file: FileHandle, size: number, signal: AbortSignal): Promise<boolean> {
  let indexed = false;
  let at = 0;
  let elements = 0;
  for await (const { type, end } of boxesOf(file, size)) {
    goOn(elements++, signal);
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) break;
    indexed ||= type === "moov";
    at = end;
  }
  return at > size || !indexed;
}

/** RFC 9559: an EBML header, then a Segment, whose size may be unknown. */
async function segmentEndsEarly(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  for await (const { id, end } of elementsOf(file, size)) {
    if (at > 0) return id === SEGMENT ? end > size && end < Infinity : at + 12 > size;
    at = end;
  }
  return at + 12 > size;
}

/** RIFF: chunks of a name, a 32-bit size and that many bytes, padded to an even number; large files have several. */
async function chunksEndEarly(file: FileHandle, size: number, signal: AbortSignal): Promise<boolean> {
  const read = pagedReader(file);
  let at = 0;
  for (let elements = 0; at + 8 <= size; elements++) {
    goOn(elements, signal);
    const head = await read(at, 8);
    if (head.toString("latin1", 0, 4) !== "RIFF") break;
    at += 8 + head.readUInt32LE(4);
    // Some writers count the eight bytes of the header too.
    if (at > size + 8) return true;
    at += at % 2;
  }
  return false;
}

/** @param elements the number of elements read so far */
function goOn(elements: number, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (elements >= MOST_ELEMENTS)
    throw taskFailure("video_unreadable", { reason: "it is cut into too many parts" });
}

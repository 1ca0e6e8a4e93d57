import { promisify } from "node:util";
import { constants, deflate, deflateSync, type ZlibOptions } from "node:zlib";
import { greyPngParts, type RowRuns } from "@segmentation/masks";
import { freeBuffer } from "../free-buffer.ts";

/** A mask's bytes are stretches of equal ones: looking for other repetitions takes time and hardly makes a file smaller. */
const DEFLATE = { level: 1, strategy: constants.Z_RLE };

/** Text of a mask's PNG: its prompt, or its region's index with the label from the job. */
export interface MaskText {
  readonly keyword: "prompt" | "region";
  readonly text: string;
  readonly label?: string | undefined;
}

const deflated: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer> = promisify(deflate);

/** A mask's pixels for a PNG, compressed on another thread. */
export async function maskPixels(mask: RowRuns): Promise<Buffer> {
  const bytes = scanlines(mask);
  try {
    return await deflated(bytes, DEFLATE);
  } finally {
    freeBuffer(bytes.buffer);
  }
}

/**
 * Encodes a mask as a one-bit grayscale PNG (W3C PNG, third edition): 0 outside, 1 (white) inside, with its text in
 * iTXt chunks.
 * @param pixels the mask's `maskPixels`, which files of the same mask share
 */
export function encodeMaskPng(
  mask: RowRuns,
  { keyword, text, label }: MaskText,
  pixels: Buffer = deflateSync(scanlines(mask), DEFLATE),
): Buffer {
  const { width, height } = mask;
  const texts: [string, string][] = [[keyword, text]];
  if (label !== undefined) texts.push(["label", label]);
  return Buffer.concat(greyPngParts({ width, height, bits: 1 }, texts, pixels));
}

/** Unfiltered scanlines of one-bit pixels: a zero byte, then the row's bits, the first one highest. */
function scanlines({ width, height, starts, edges }: RowRuns): Buffer {
  const length = 1 + Math.ceil(width / 8);
  // Not from the shared pool: `freeBuffer` must be able to free it.
  const bytes = Buffer.from(new ArrayBuffer(length * height));
  for (let y = 0; y < height; y += 1) {
    const row = y * length + 1;
    const end = starts[y + 1] ?? 0;
    for (let at = starts[y] ?? 0; at < end; at += 2) setBits(bytes, row, edges[at] ?? 0, edges[at + 1] ?? 0);
  }
  return bytes;
}

/** Sets the pixels [from, to) of the row that begins at the byte `row`. */
function setBits(bytes: Buffer, row: number, from: number, to: number): void {
  const [first, last] = [row + (from >> 3), row + (to >> 3)];
  const [head, tail] = [0xff >> (from & 7), 0xff00 >> (to & 7)];
  if (first === last) {
    bytes[first] = (bytes[first] ?? 0) | (head & tail);
    return;
  }
  bytes[first] = (bytes[first] ?? 0) | head;
  bytes.fill(0xff, first + 1, last);
  // A run that ends with its byte has nothing in the next, which may be the next row's.
  if ((to & 7) > 0) bytes[last] = (bytes[last] ?? 0) | (tail & 0xff);
}

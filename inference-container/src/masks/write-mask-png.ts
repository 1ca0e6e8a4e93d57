import { promisify } from "node:util";
import { constants, crc32, deflate, deflateSync, type ZlibOptions } from "node:zlib";
import type { RowRuns } from "@segmentation/masks";
import { freeBuffer } from "../free-buffer.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE = 0;
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
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(mask.width, mask.height)),
    chunk("iTXt", internationalText(keyword, text)),
    ...(label === undefined ? [] : [chunk("iTXt", internationalText("label", label))]),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
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

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = 1;
  data[9] = GREYSCALE;
  return data;
}

/** The keyword, then no compression, no language and no translated keyword, then the text, which can't contain NUL. */
function internationalText(keyword: string, text: string): Buffer {
  return Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll("\0", "")}`, "utf8");
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}

/** Builds picture files out of the parts of others. */
import { crc32 } from "node:zlib";

/** A chunk of a PNG. */
export function chunk(type: string, data: Uint8Array | readonly number[] = []): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data)]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Big-endian numbers of 32 bits. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

/** The PNG with chunks before its first chunk of that type, or at its end. */
export function withChunks(
  png: Buffer,
  before: "IDAT" | "IEND" | "IHDR",
  ...chunks: readonly Buffer[]
): Buffer {
  const at = png.indexOf(before) - 4;
  return Buffer.concat([png.subarray(0, at), ...chunks, png.subarray(at)]);
}

/** The place of a JPEG's first segment with this marker. */
export function segmentAt(jpeg: Buffer, marker: number): number {
  let at = 2;
  while (jpeg[at + 1] !== marker) at += 2 + jpeg.readUInt16BE(at + 2);
  return at;
}

/** The JPEG with a segment of application data that holds other bytes, such as a thumbnail. */
export function withSegment(jpeg: Buffer, data: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe5, 0, 0]);
  head.writeUInt16BE(2 + data.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** The JPEG with another marker, precision or size in its frame's header. */
export function withFrame(
  jpeg: Buffer,
  { marker, precision, side }: { marker?: number; precision?: number; side?: number },
): Buffer {
  const changed = Buffer.from(jpeg);
  const at =
    [0xc0, 0xc2].map((known) => jpeg.indexOf(Buffer.from([0xff, known, 0]))).find((found) => found > 0) ?? 0;
  if (marker !== undefined) changed[at + 1] = marker;
  if (precision !== undefined) changed[at + 4] = precision;
  if (side !== undefined) changed.writeUInt16BE(side, changed.writeUInt16BE(side, at + 5));
  return changed;
}

/** The GIF on a screen of another size, its first frame at another place. */
export function onScreen(
  gif: Buffer,
  [width, height]: [number, number],
  [left, top]: [number, number],
): Buffer {
  const changed = Buffer.from(gif);
  changed.writeUInt16LE(width, 6);
  changed.writeUInt16LE(height, 8);
  const table = ((gif[10] ?? 0) & 0x80) === 0 ? 0 : 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);
  let at = 13 + table;
  while (gif[at] === 0x21) {
    at += 2;
    while ((gif[at] ?? 0) > 0) at += 1 + (gif[at] ?? 0);
    at += 1;
  }
  changed.writeUInt16LE(left, at + 1);
  changed.writeUInt16LE(top, at + 3);
  return changed;
}

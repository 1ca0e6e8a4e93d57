import type { Bytes, PackedRows } from "./bitmap.ts";
import { crc32 } from "./crc32.ts";
import { PNG_SIGNATURE } from "./write-png.ts";

/** A mask file's content: its size, its packed rows, and its texts. */
export interface MaskPng extends PackedRows {
  /** The iTXt chunks by keyword: `prompt`, or `region` and perhaps `label`. */
  readonly texts: ReadonlyMap<string, string>;
}

const GREYSCALE_OF_ONE_BIT = "1,0,0,0,0";
const NOT_A_MASK = "The mask is not a PNG of one bit per pixel.";

/**
 * Reads a mask as the service writes it (W3C PNG, third edition: one bit, grayscale, not interlaced) and checks every
 * chunk's checksum.
 * @throws RangeError if it is anything else, or damaged
 */
export async function readMaskPng(file: Bytes): Promise<MaskPng> {
  const { width, height, texts, packed } = readChunks(file);
  return { width, height, rows: unfilter(await inflate(packed), width, height), texts };
}

/** Reads a mask's size and texts, and leaves its pixels packed. @throws RangeError if it is not a mask, or damaged */
export const readMaskTexts = (file: Bytes): Omit<MaskPng, "rows"> => readChunks(file);

function readChunks(file: Bytes): Omit<MaskPng, "rows"> & { readonly packed: Bytes[] } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const latin1 = (from: number, to: number): string => String.fromCharCode(...file.subarray(from, to));
  const texts = new Map<string, string>();
  const packed: Bytes[] = [];
  let [width, height] = [0, 0];
  if (latin1(0, 8) !== PNG_SIGNATURE) throw new RangeError(NOT_A_MASK);
  for (let at = 8; ;) {
    const length = at + 12 <= file.length ? view.getUint32(at) : file.length;
    const end = at + 8 + length;
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== view.getUint32(end))
      throw new RangeError("The mask is damaged.");
    const type = latin1(at + 4, at + 8);
    const data = file.subarray(at + 8, end);
    if (type === "IHDR") {
      [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (data.subarray(8).join() !== GREYSCALE_OF_ONE_BIT) throw new RangeError(NOT_A_MASK);
    } else if (type === "IDAT") packed.push(data);
    else if (type === "iTXt") {
      // After the keyword: not compressed, no language, no translated keyword.
      const [keyword = "", , , , , text] = new TextDecoder().decode(data).split("\0");
      if (text !== undefined) texts.set(keyword, text);
    } else if (type === "IEND") break;
    at = end + 4;
  }
  return { width, height, texts, packed };
}

async function inflate(parts: Bytes[]): Promise<Uint8Array> {
  const inflated = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}

/** Undoes the rows' filters (section 9 of the standard); a pixel's neighbors are a byte or a row away. */
function unfilter(filtered: Uint8Array, width: number, height: number): Bytes {
  const length = Math.ceil(width / 8);
  if (filtered.length !== (length + 1) * height)
    throw new RangeError("The mask's rows do not match its size.");
  const rows = new Uint8Array(length * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (length + 1)] ?? 0;
    const row = y * length;
    rows.set(filtered.subarray(row + y + 1, row + y + 1 + length), row);
    if (filter === 0) continue;
    for (let i = row; i < row + length; i++) {
      const left = i > row ? (rows[i - 1] ?? 0) : 0;
      const above = y > 0 ? (rows[i - length] ?? 0) : 0;
      const aboveLeft = y > 0 && i > row ? (rows[i - length - 1] ?? 0) : 0;
      const [a = 0, b = 0, c = 0] = [left, above, aboveLeft].map((value) =>
        Math.abs(left + above - aboveLeft - value),
      );
      const nearest = a <= b && a <= c ? left : b <= c ? above : aboveLeft;
      rows[i] = (rows[i] ?? 0) + ([0, left, above, (left + above) >> 1][filter] ?? nearest);
    }
  }
  return rows;
}

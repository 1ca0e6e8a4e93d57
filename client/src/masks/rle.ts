import type { Bitmap } from "./bitmap.ts";

/** A mask in the compressed run-length encoding of the COCO API (maskApi.c), which pycocotools reads. */
export interface Rle {
  /** Height, then width, in pixels. */
  readonly size: readonly number[];
  /** Lengths of alternating runs of clear and set pixels, down each column; the first run is clear and may have length 0. */
  readonly counts: string;
}

/** Encodes a mask's pixels. */
export function encodeRle({ width, height, data }: Bitmap): Rle {
  const counts: number[] = [];
  let [set, run] = [0, 0];
  for (let x = 0; x < width; x++)
    for (let i = x; i < data.length; i += width) {
      const value = data[i] ?? 0;
      if (value !== set) {
        counts.push(run);
        [set, run] = [value, 0];
      }
      run++;
    }
  counts.push(run);
  return {
    size: [height, width],
    counts: counts.map((count, i) => number(i > 2 ? count - (counts[i - 2] ?? 0) : count)).join(""),
  };
}

/** A number as groups of five bits, lowest first, in two's complement; all but the last get 32 added, and 48 makes a character. */
function number(value: number): string {
  const group = value & 31;
  const rest = value >> 5;
  const isLast = rest === (group & 16 ? -1 : 0);
  return String.fromCharCode(group + (isLast ? 48 : 80)) + (isLast ? "" : number(rest));
}

/** Decodes a mask. @throws RangeError if the text is no such encoding, or its runs are not those of a picture of that size */
export function decodeRle({ size, counts: text }: Rle): Bitmap {
  const [height = 0, width = 0] = size;
  const data = new Uint8Array(width * height);
  const counts: number[] = [];
  let at = 0;
  for (let i = 0; i < text.length;) {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const group = text.charCodeAt(i++) - 48;
      // NaN, at the text's end, is not smaller either.
      if (!(group >= 0 && group < 64 && shift < 35))
        throw new RangeError("The mask's text is not a COCO RLE.");
      value |= (group & 31) << shift;
      if (group >= 32) continue;
      if (group & 16 && shift < 27) value |= -32 << shift;
      break;
    }
    const count = counts.length > 2 ? value + (counts.at(-2) ?? 0) : value;
    const end = at + count;
    if (count < 0 || end > data.length) throw new RangeError("The mask's runs are not those of its size.");
    if (counts.length % 2 === 1)
      for (; at < end; at++) data[(at % height) * width + Math.floor(at / height)] = 255;
    at = end;
    counts.push(count);
  }
  if (at !== data.length) throw new RangeError("The mask's runs are not those of its size.");
  return { width, height, data };
}

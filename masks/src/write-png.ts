import type { Bytes } from "./bitmap.ts";
import { crc32 } from "./crc32.ts";

/** The first bytes of a PNG, as Latin-1. */
export const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";

/** A grayscale picture's size, and its bits per pixel. */
export interface GreySize {
  readonly width: number;
  readonly height: number;
  readonly bits: 1 | 8 | 16;
}

/** A grayscale picture's rows in its PNG, unfiltered: the first pixel highest, of 16 bits the high byte first. */
export interface GreyRows extends GreySize {
  readonly rows: Bytes;
}

/** Texts of a PNG, as its iTXt chunks: keyword and text. */
export type PngTexts = Iterable<readonly [keyword: string, text: string]>;

/** Writes a grayscale PNG. */
export async function writeGreyPng({ rows, ...size }: GreyRows, texts: PngTexts = []): Promise<Blob> {
  const length = Math.ceil((size.width * size.bits) / 8);
  const unfiltered = new Uint8Array((length + 1) * size.height);
  for (let y = 0; y < size.height; y++)
    unfiltered.set(rows.subarray(y * length, (y + 1) * length), y * (length + 1) + 1);
  const deflated = new Blob([unfiltered]).stream().pipeThrough(new CompressionStream("deflate"));
  const pixels = new Uint8Array(await new Response(deflated).arrayBuffer());
  return new Blob(greyPngParts(size, texts, pixels), { type: "image/png" });
}

/**
 * Returns the parts of a grayscale PNG's file (W3C PNG, third edition; not interlaced).
 * @param pixels the deflated rows, a zero byte before each
 */
export function greyPngParts(
  { width, height, bits }: GreySize,
  texts: PngTexts,
  pixels: Uint8Array,
): Bytes[] {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, bits);
  return [
    Uint8Array.from(PNG_SIGNATURE, (character) => character.charCodeAt(0)),
    chunk("IHDR", new Uint8Array(header.buffer)),
    ...Array.from(texts, ([keyword, text]) => chunk("iTXt", internationalText(keyword, text))),
    chunk("IDAT", pixels),
    chunk("IEND", new Uint8Array()),
  ];
}

/** The keyword, then no compression, no language and no translated keyword, then the text, which can't contain NUL. */
const internationalText = (keyword: string, text: string): Uint8Array =>
  new TextEncoder().encode(`${keyword}\0\0\0\0\0${text.replaceAll("\0", "")}`);

function chunk(type: string, data: Uint8Array): Bytes {
  const framed = new Uint8Array(data.length + 12);
  const view = new DataView(framed.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < type.length; i++) framed[4 + i] = type.charCodeAt(i);
  framed.set(data, 8);
  view.setUint32(data.length + 8, crc32(framed.subarray(4, data.length + 8)));
  return framed;
}

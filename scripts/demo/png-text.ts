import { inflateSync } from "node:zlib";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const MAX_TEXT_BYTES = 1 << 20;

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** A PNG's chunks in order. A chunk is length, type, data, CRC (PNG specification, section 5.3). */
function* chunksOf(png: Uint8Array): Generator<Chunk> {
  if (!SIGNATURE.every((byte, index) => png[index] === byte)) throw new Error("This is not a PNG file.");
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  let at = SIGNATURE.length;
  while (at + 12 <= png.length) {
    const length = view.getUint32(at);
    if (at + 12 + length > png.length) break;
    const type = new TextDecoder("latin1").decode(png.subarray(at + 4, at + 8));
    yield { type, data: png.subarray(at + 8, at + 8 + length) };
    if (type === "IEND") return;
    at += 12 + length;
  }
  throw new Error("This PNG file is cut off.");
}

/** An iTXt chunk: keyword 0 compressed method language 0 translated-keyword 0 text (PNG specification, section 11.3.3.4). */
function readInternationalText(data: Uint8Array): { keyword: string; text: string } | null {
  const keywordEnd = data.indexOf(0);
  const languageEnd = data.indexOf(0, keywordEnd + 3);
  const translatedEnd = data.indexOf(0, languageEnd + 1);
  if (keywordEnd < 1 || languageEnd < 0 || translatedEnd < 0) return null;
  const isCompressed = data[keywordEnd + 1] === 1;
  const raw = data.subarray(translatedEnd + 1);
  const text = isCompressed ? inflateSync(raw, { maxOutputLength: MAX_TEXT_BYTES }) : raw;
  return {
    keyword: new TextDecoder("latin1").decode(data.subarray(0, keywordEnd)),
    text: new TextDecoder().decode(text),
  };
}

/**
 * The text of a PNG's first iTXt chunk with this keyword, or null if there is none.
 * @throws Error if the file is not a PNG or is cut off
 */
export function readPngText(png: Uint8Array, keyword: string): string | null {
  for (const { type, data } of chunksOf(png)) {
    if (type !== "iTXt") continue;
    const entry = readInternationalText(data);
    if (entry?.keyword === keyword) return entry.text;
  }
  return null;
}

import { crc32 } from "node:zlib";
import { deflate } from "./deflate.ts";
import type { RowRuns } from "../runs/row-runs.ts";
import { toScanlines } from "./scanlines.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE = 0;

/**
 * Encodes a mask as a one-bit greyscale PNG (W3C PNG, third edition): 0 outside, 1 (white) inside, with the prompt in
 * an iTXt chunk `prompt`. The time grows with the length of the outline, hardly with the area: no bitmap is made.
 */
export function encodeMaskPng(mask: RowRuns, prompt: string): Buffer {
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(mask.width, mask.height)),
    chunk("iTXt", internationalText("prompt", prompt)),
    chunk("IDAT", deflate(toScanlines(mask))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
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

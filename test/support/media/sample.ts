import { readFileSync } from "node:fs";
import sharp from "sharp";

export const sample = (name: "astronaut" | "chelsea" | "coffee"): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(`samples/${name}.png`));

/** The gray values of a mask file, one byte per pixel; `set` counts the pixels of value 255. */
export async function maskPixels(
  png: Uint8Array,
): Promise<{ width: number; height: number; values: Uint8Array; set: number }> {
  const { data, info } = await sharp(png).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    values: data,
    set: data.reduce((n, value) => n + (value === 255 ? 1 : 0), 0),
  };
}

import { readFileSync } from "node:fs";
import sharp from "sharp";

/** A sample photograph's file. */
export const sample = (name: "astronaut" | "chelsea" | "coffee"): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(`samples/${name}.png`));

/** A file of the same picture that no cache has seen: `variant` changes one pixel in a corner. */
export async function variantOf(
  name: "astronaut" | "chelsea" | "coffee",
  variant: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { data, info } = await sharp(`samples/${name}.png`)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  data.writeUIntBE(variant & 0xff_ff_ff, 0, 3);
  const { width, height } = info;
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
}

/** Grey values of a mask file, one byte a pixel. */
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

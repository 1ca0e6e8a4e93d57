import sharp from "sharp";
import type { Instance, Picture } from "../models/model.ts";
import type { Canvas } from "./canvas.ts";
import { drawShown, largestFirst, show } from "./shown.ts";

/** The most pixels of the long side. */
const LONG_SIDE = 2048;

/**
 * Renders the picture with the objects found as a PNG: each has a tint and an outline in its own colour, and a label with
 * the prompt and the confidence. Small objects lie on top of large ones. `maskThreshold` is a probability.
 */
export async function renderPreview(
  picture: Picture,
  instances: readonly Instance[],
  prompts: readonly string[],
  maskThreshold: number,
): Promise<Buffer> {
  const canvas = await shrink(picture);
  const named = instances.map(({ promptIndex, score, mask }, index) => {
    return { prompt: prompts[promptIndex] ?? "", mark: "", score, mask, colour: index };
  });
  const shown = largestFirst(show(canvas, named, maskThreshold));
  await drawShown(canvas, shown, shown);
  return sharp(canvas.rgb, { raw: { width: canvas.width, height: canvas.height, channels: 3 } })
    .png({ compressionLevel: 2, adaptiveFiltering: true })
    .toBuffer();
}

async function shrink({ width, height, rgb }: Picture): Promise<Canvas> {
  const { data, info } = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize({ width: LONG_SIDE, height: LONG_SIDE, fit: "inside", withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

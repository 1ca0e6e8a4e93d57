import sharp from "sharp";
import { rasterise } from "../masks/rasterise.ts";
import type { Instance, Picture } from "../models/model.ts";
import { boundsOf } from "./bounds.ts";
import type { Canvas } from "./canvas.ts";
import { objectColour } from "./colour.ts";
import { drawLabels } from "./label.ts";
import { drawOverlay } from "./overlay.ts";

/** The long side is at most this many pixels. */
const LONG_SIDE = 2048;

/**
 * Renders the picture with its found objects as a PNG: a tint and an outline of an own colour for each, and a label
 * with the prompt and the confidence. Small objects lie on top of large ones.
 */
export async function renderPreview(
  picture: Picture,
  instances: readonly Instance[],
  prompts: readonly string[],
  maskThreshold: number,
): Promise<Buffer> {
  const canvas = await shrink(picture);
  const long = Math.max(canvas.width, canvas.height);
  const objects = instances
    .map((instance, index) => {
      const mask = rasterise(instance.mask, canvas.width, canvas.height, maskThreshold);
      const prompt = prompts[instance.promptIndex] ?? "";
      return { mask, colour: objectColour(index), bounds: boundsOf(mask), prompt, score: instance.score };
    })
    .filter((object) => object.mask.area > 0)
    .toSorted((a, b) => b.mask.area - a.mask.area);
  drawOverlay(canvas, objects, Math.max(2, Math.round(long / 500)));
  await drawLabels(canvas, objects, Math.max(11, Math.round(long / 62)));
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

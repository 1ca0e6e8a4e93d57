import sharp from "sharp";
import type { LogitGrid, Picture } from "../models/model.ts";
import type { Canvas } from "./canvas.ts";
import { drawShown, largestFirst, show } from "./shown.ts";

/** The most pixels of the long side. */
const LONG_SIDE = 2048;

/** An object to show: its prompt or another name, and its confidence. */
export interface NamedMask {
  readonly name: string;
  readonly score: number;
  readonly mask: LogitGrid;
}

/**
 * Renders the picture with the objects found as a PNG: each has a tint and an outline in its own colour, and a label with
 * the name and the confidence. Small objects lie on top of large ones. `maskThreshold` is a probability.
 */
export async function renderPreview(
  picture: Picture,
  objects: readonly NamedMask[],
  maskThreshold: number,
): Promise<Buffer> {
  const canvas = await shrink(picture);
  const named = objects.map(({ name, score, mask }, index) => {
    return { prompt: name, mark: "", score, mask, colour: index };
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

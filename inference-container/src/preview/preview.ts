import sharp from "sharp";
import {
  type Bounds,
  boundsOf,
  CLIP_MASK_THRESHOLD,
  findRuns,
  type LogitGrid,
  type RowRuns,
} from "@segmentation/masks";
import type { Picture } from "../models/model.ts";
import type { Canvas } from "./canvas.ts";
import type { Step } from "../steps.ts";
import { objectColour } from "./colour.ts";
import { drawLabels, type Label } from "./label.ts";
import { drawOverlay, type Layer } from "./overlay.ts";

/** The most pixels of the long side. */
const LONG_SIDE = 2048;

/** An object to show: its prompt or another name, and its confidence. */
export interface NamedMask {
  readonly name: string;
  readonly score: number;
  readonly mask: LogitGrid;
}

/**
 * Renders the picture with the objects found as a PNG: each has a tint and an outline in its own color, and a label
 * with the name and the confidence. Small objects lie on top of large ones. `maskThreshold` is a probability.
 */
export async function renderPreview(
  picture: Picture,
  objects: readonly NamedMask[],
  maskThreshold: number,
  step: Step,
): Promise<Buffer> {
  const canvas = await shrink(picture);
  const named = objects.map(({ name, score, mask }, index) => {
    return { prompt: name, mark: "", score, mask, colour: index };
  });
  const shown = largestFirst(await show(canvas, named, maskThreshold, step));
  await drawShown(canvas, shown, shown, step);
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

/** An object of a frame; `objectId` is the same in all frames, `mask` is stretched over the whole canvas. */
export interface TrackedObject {
  readonly objectId: number;
  readonly prompt: string;
  /** Confidence, 0 to 1. */
  readonly score: number;
  readonly mask: LogitGrid;
}

/**
 * Draws a frame's objects onto it, in place: a tint and an outline in the object's own color, which it keeps in all
 * frames, and a label with the prompt, the id and the confidence. Small objects lie on top of large ones. Objects from
 * earlier frames place their labels first, so that labels do not move.
 */
export async function drawTracked(
  canvas: Canvas,
  objects: readonly TrackedObject[],
  step: Step,
): Promise<void> {
  const named = objects
    .toSorted((a, b) => a.objectId - b.objectId)
    .map(({ objectId, prompt, score, mask }) => {
      return { prompt, mark: ` #${objectId}`, score, mask, colour: objectId };
    });
  const shown = await show(canvas, named, CLIP_MASK_THRESHOLD, step);
  await drawShown(canvas, largestFirst(shown), shown, step);
}

/** An object with its layer and its label. */
type Shown = Layer & Label;

/** An object to draw; `colour` is the number of its color. */
interface ToShow extends Pick<Label, "prompt" | "mark" | "score"> {
  readonly mask: LogitGrid;
  readonly colour: number;
}

/** Scales objects to the canvas's size, each mask once; those without a pixel there are left out. */
async function show(
  { width, height }: Canvas,
  objects: readonly ToShow[],
  maskThreshold: number,
  step: Step,
): Promise<Shown[]> {
  const scaled = new Map<LogitGrid, { runs: RowRuns; bounds: Bounds }>();
  for (const { mask } of objects) {
    if (scaled.has(mask)) continue;
    const runs = findRuns(mask, width, height, maskThreshold);
    scaled.set(mask, { runs, bounds: boundsOf(runs) });
    await step();
  }
  return objects.flatMap(({ mask, colour, ...text }) => {
    const shape = scaled.get(mask);
    if (shape === undefined || shape.runs.area === 0) return [];
    return [{ ...text, ...shape, colour: objectColour(colour) }];
  });
}

/** Sorts the largest first, below the small ones. */
function largestFirst(objects: readonly Shown[]): Shown[] {
  return objects.toSorted((a, b) => b.runs.area - a.runs.area);
}

/** Draws each object's tint and outline, later ones on top, then the labels, which choose their places in order. */
async function drawShown(
  canvas: Canvas,
  layers: readonly Shown[],
  labels: readonly Shown[],
  step: Step,
): Promise<void> {
  const long = Math.max(canvas.width, canvas.height);
  await drawOverlay(canvas, layers, Math.max(2, Math.round(long / 500)), step);
  await drawLabels(canvas, labels, Math.max(11, Math.round(long / 62)), step);
}

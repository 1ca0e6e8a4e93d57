import sharp from "sharp";
import type { LogitGrid, Picture } from "../models/model.ts";
import type { Canvas } from "./canvas.ts";
import { CLIP_MASK_THRESHOLD, findRuns } from "../masks/runs/find-runs.ts";
import { boundsOf } from "@segmentation/masks";
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

/** An object of a frame; `objectId` is the same in all frames, `mask` is stretched over the whole canvas. */
export interface TrackedObject {
  readonly objectId: number;
  readonly prompt: string;
  /** Confidence, 0 to 1. */
  readonly score: number;
  readonly mask: LogitGrid;
}

/**
 * Draws a frame's objects onto it, in place: a tint and an outline in the object's own colour, which it keeps in all
 * frames, and a label with the prompt, the id and the confidence. Small objects lie on top of large ones. Objects that
 * were seen earlier choose their labels' places first, so that labels stay where they are.
 */
export async function drawTracked(canvas: Canvas, objects: readonly TrackedObject[]): Promise<void> {
  const named = objects
    .toSorted((a, b) => a.objectId - b.objectId)
    .map(({ objectId, prompt, score, mask }) => {
      return { prompt, mark: ` #${objectId}`, score, mask, colour: objectId };
    });
  const shown = show(canvas, named, CLIP_MASK_THRESHOLD);
  await drawShown(canvas, largestFirst(shown), shown);
}

/** An object as it is drawn. */
type Shown = Layer & Label;

/** An object to draw; `colour` is the number of its colour. */
interface ToShow extends Pick<Label, "prompt" | "mark" | "score"> {
  readonly mask: LogitGrid;
  readonly colour: number;
}

/** Scales objects to the canvas's size; those without a pixel there are left out. */
function show({ width, height }: Canvas, objects: readonly ToShow[], maskThreshold: number): Shown[] {
  return objects
    .map(({ mask, colour, ...text }) => {
      const runs = findRuns(mask, width, height, maskThreshold);
      return { ...text, runs, bounds: boundsOf(runs), colour: objectColour(colour) };
    })
    .filter(({ runs }) => runs.area > 0);
}

/** Sorts the largest first, so that it lies below the small ones. */
function largestFirst(objects: readonly Shown[]): Shown[] {
  return objects.toSorted((a, b) => b.runs.area - a.runs.area);
}

/** Draws each object's tint and outline, later ones on top, then the labels, which choose their places in order. */
async function drawShown(canvas: Canvas, layers: readonly Shown[], labels: readonly Shown[]): Promise<void> {
  const long = Math.max(canvas.width, canvas.height);
  drawOverlay(canvas, layers, Math.max(2, Math.round(long / 500)));
  await drawLabels(canvas, labels, Math.max(11, Math.round(long / 62)));
}

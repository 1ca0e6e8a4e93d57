import { findRuns } from "../masks/runs/find-runs.ts";
import type { LogitGrid } from "../models/model.ts";
import { boundsOf } from "../masks/runs/bounds.ts";
import type { Canvas } from "./canvas.ts";
import { objectColour } from "./colour.ts";
import { drawLabels, type Label } from "./label.ts";
import { drawOverlay, type Layer } from "./overlay.ts";

/** An object as it is drawn. */
export type Shown = Layer & Label;

/** An object to draw; `colour` is the number of its colour. */
export interface ToShow extends Pick<Label, "prompt" | "mark" | "score"> {
  readonly mask: LogitGrid;
  readonly colour: number;
}

/** Scales objects to the canvas's size; those without a pixel there are left out. */
export function show({ width, height }: Canvas, objects: readonly ToShow[], maskThreshold: number): Shown[] {
  return objects
    .map(({ mask, colour, ...text }) => {
      const runs = findRuns(mask, width, height, maskThreshold);
      return { ...text, runs, bounds: boundsOf(runs), colour: objectColour(colour) };
    })
    .filter(({ runs }) => runs.area > 0);
}

/** Sorts the largest first, so that it lies below the small ones. */
export function largestFirst(objects: readonly Shown[]): Shown[] {
  return objects.toSorted((a, b) => b.runs.area - a.runs.area);
}

/** Draws each object's tint and outline, later ones on top, then the labels, of which the first choose their places first. */
export async function drawShown(
  canvas: Canvas,
  layers: readonly Shown[],
  labels: readonly Shown[],
): Promise<void> {
  const long = Math.max(canvas.width, canvas.height);
  drawOverlay(canvas, layers, Math.max(2, Math.round(long / 500)));
  await drawLabels(canvas, labels, Math.max(11, Math.round(long / 62)));
}

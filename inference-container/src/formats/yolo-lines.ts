import type { RowRuns } from "../masks/runs/row-runs.ts";
import { outlinesOf } from "./outline.ts";

/** Coordinates have so many digits that rounding moves a point by at most 0.005 pixels. */
const digitsFor = (side: number): number => Math.ceil(Math.log10(side)) + 2;

/**
 * An object in YOLO's format for segmentation: a line for each of its connected parts, with the class and the polygon's points,
 * x and y as shares of the picture's width and height. A polygon passes along its holes (see `outlinesOf`).
 *
 * @param classIndex the class, from 0
 */
export function* yoloLines(runs: RowRuns, classIndex: number): Generator<string> {
  const { width, height } = runs;
  const [across, down] = [digitsFor(width), digitsFor(height)];
  for (const outline of outlinesOf(runs)) {
    const points = outline.map(({ x, y }) => `${(x / width).toFixed(across)} ${(y / height).toFixed(down)}`);
    yield `${classIndex} ${points.join(" ")}\n`;
  }
}

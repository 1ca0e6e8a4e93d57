import { isFirstEdge, otherEdge, type Outlines, outlinesOf } from "./outlines.ts";
import { type Passage, Path } from "./path.ts";
import { simplify } from "./polygons.ts";
import type { RowRuns } from "./row-runs.ts";

/** Characters that JSON leaves unescaped, but that a YAML reader may refuse or take for a line break. */
const UNREADABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text as a double-quoted YAML scalar: a JSON string is one. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    UNREADABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The `data.yaml` of a dataset of YOLO labels: the names of its classes, in the order of their numbers, and the folder for the
 * pictures, beside `labels`.
 */
export const yoloDataset = (names: readonly string[]): string =>
  [
    "train: images",
    "val: images",
    "names:",
    ...names.map((name, index) => `  ${index}: ${quoted(name)}`),
    "",
  ].join("\n");

/** How many digits coordinates have: enough that rounding moves a point by at most 0.005 pixels. */
const digitsFor = (side: number): number => Math.ceil(Math.log10(side)) + 2;

/**
 * An object in YOLO's format for segmentation: a line for each of its connected parts (by their sides), in the order of their
 * highest pixels, with the class and the polygon's points, x and y as shares of the picture's width and height. A hole is joined
 * to what surrounds it by a cut: a line there and back. The pixels whose centres are inside by the even-odd rule are the mask's.
 *
 * @param classIndex the class, from 0
 * @param tolerance how far a line may stray to have fewer points, in pixels
 */
export function* yoloLines(runs: RowRuns, classIndex: number, tolerance = 0): Generator<string> {
  const { width, height } = runs;
  const [across, down] = [digitsFor(width), digitsFor(height)];
  const outlines = outlinesOf(runs);
  const cuts = new Set(outlines.begins.filter((edge) => !isFirstEdge(edge)).map((edge) => edge >> 1));
  for (const begin of outlines.begins) {
    if (!isFirstEdge(begin)) continue;
    const exact = followPart(runs, outlines, cuts, begin).flatMap(({ x, y }) => [x, y]);
    const line = tolerance > 0 ? simplify(exact, tolerance) : exact;
    const points = line.map((at, i) =>
      i % 2 === 0 ? (at / width).toFixed(across) : (at / height).toFixed(down),
    );
    yield `${classIndex} ${points.join(" ")}\n`;
  }
}

/**
 * How far inside the set pixels an outline passes, in pixels. So a program that takes a pixel for inside if its centre is, as
 * the COCO API does, draws the mask again, and so does one that rounds coordinates down to pixels and draws outlines too, as
 * OpenCV's fillPoly does in YOLO's training.
 */
const INSET = 0.05;

/** A part's outline with those of its holes. @param cuts the runs along which a cut lies */
function followPart(
  { edges }: RowRuns,
  { following, rowOf }: Outlines,
  cuts: ReadonlySet<number>,
  begin: number,
): Passage[] {
  const path = new Path();
  const cross = (edge: number, isFixed: boolean): void => {
    const x = (edges[edge] ?? 0) + (isFirstEdge(edge) ? INSET : -INSET);
    path.add({ x, y: rowOf(edge) + 0.5, upright: true }, isFixed);
  };
  let edge = begin;
  do {
    const hasCut = cuts.has(edge >> 1);
    cross(edge, hasCut || edge === begin);
    if (hasCut) {
      // Across to the hole; and back at the end of the hole's outline, which comes to its first edge again.
      edge = otherEdge(edge);
      cross(edge, true);
    }
    const next = following[edge] ?? 0;
    const [from, to] = [edges[edge] ?? 0, edges[next] ?? 0];
    if (from !== to) {
      const step = Math.sign(to - from);
      // What is set lies below a step to the right, and above one to the left.
      const y = rowOf(edge) + (isFirstEdge(edge) ? 0 : 1) + step * INSET;
      path.add({ x: from + step / 2, y, upright: false });
      if (Math.abs(to - from) > 1) path.add({ x: to - step / 2, y, upright: false });
    }
    edge = next;
  } while (edge !== begin);
  return path.close();
}

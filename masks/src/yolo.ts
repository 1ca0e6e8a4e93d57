import { isFirstEdge, otherEdge, type Outlines, outlinesOf } from "./outlines.ts";
import { type Passage, Path } from "./path.ts";
import { simplify } from "./polygons.ts";
import type { RowRuns } from "./row-runs.ts";

/** Characters that JSON leaves unescaped, but that a YAML reader may refuse or take for a line break. */
const UNREADABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A string as a double-quoted YAML scalar: a JSON string is one. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    UNREADABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The `data.yaml` of a dataset of YOLO labels: the names of its classes, in the order of their numbers, and the folders
 * for the pictures, next to `labels`.
 */
export const yoloDataset = (
  names: readonly string[],
  { train, val }: { readonly train: string; readonly val: string } = { train: "images", val: "images" },
): string =>
  [
    `train: ${train}`,
    `val: ${val}`,
    "names:",
    ...names.map((name, index) => `  ${index}: ${quoted(name)}`),
    "",
  ].join("\n");

/** The number of digits of coordinates: rounding moves a point by at most 0.005 pixels. */
const digitsFor = (side: number): number => Math.ceil(Math.log10(side)) + 2;

/**
 * An object in YOLO's format for segmentation: a line for each of its connected parts (by their sides), in the order of
 * their highest pixels. A line has the class and the polygon's points, x and y as shares of the picture's width and
 * height. A cut, a line there and back, joins a hole to the outline around it. The pixels whose centers are inside by
 * the even-odd rule are the mask's.
 *
 * @param classIndex the class, from 0
 * @param tolerance the distance in pixels by which a line may deviate to have fewer points
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
 * The inset of an outline in the set pixels, in pixels. A program that tests pixel centers, as the COCO API does, draws
 * the mask again. So does a program that rounds coordinates down and draws outlines too, as OpenCV's fillPoly does in
 * YOLO's training.
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
      // The set pixel is below a step to the right, and above a step to the left.
      const y = rowOf(edge) + (isFirstEdge(edge) ? 0 : 1) + step * INSET;
      path.add({ x: from + step / 2, y, upright: false });
      if (Math.abs(to - from) > 1) path.add({ x: to - step / 2, y, upright: false });
    }
    edge = next;
  } while (edge !== begin);
  return path.close();
}

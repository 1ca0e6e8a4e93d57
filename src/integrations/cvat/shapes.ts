import { polygonsOfRuns, type RowRuns, runsOfRle } from "@segmentation/masks";
import type { FoundObject } from "../../segment/operations/found.ts";

/** Distance in pixels by which a polygon may leave its mask's outline, if CVAT asks for polygons. */
const TOLERANCE = 1.5;

/** Returns a row of a mask's pixels as JSON without its brackets: from `from` up to `to`, exclusive. */
function rowOf({ starts, edges }: RowRuns, y: number, from: number, to: number, set: number): string {
  const pieces: string[] = [];
  let at = from;
  const fill = (until: number, value: number): void => {
    const end = Math.min(Math.max(until, at), to);
    if (end > at) pieces.push(`${value},`.repeat(end - at));
    at = end;
  };
  for (let i = starts[y] ?? 0; i < (starts[y + 1] ?? 0); i += 2) {
    fill(edges[i] ?? 0, 0);
    fill(edges[i + 1] ?? 0, set);
  }
  fill(to, 0);
  return pieces.join("").slice(0, -1);
}

/** Returns an interactor's answer as JSON in pieces: the mask's rows, whose pixels are 0 or 255. */
export async function* interactorJson(
  object: FoundObject | undefined,
  { width, height }: { readonly width: number; readonly height: number },
): AsyncGenerator<string> {
  const rle = object?.shape?.rle;
  const empty = { width, height, starts: new Int32Array(height + 1), edges: new Int32Array(), area: 0 };
  const runs = rle === undefined ? empty : runsOfRle(rle);
  yield '{"mask":[';
  for (let y = 0; y < height; y++) yield `${y === 0 ? "" : ","}[${rowOf(runs, y, 0, width, 255)}]`;
  yield "]}";
}

/**
 * Returns a detector's answer as JSON in pieces: for each object its label, its longest outline, and its mask within its box, row
 * by row, with the box's corners (inclusive) behind it.
 */
export async function* detectorJson(objects: readonly FoundObject[]): AsyncGenerator<string> {
  let comma = "";
  yield "[";
  for (const { by, confidence, shape } of objects) {
    if (shape === null || !("prompt" in by)) continue;
    const runs = runsOfRle(shape.rle);
    const [left, top, width, height] = shape.box;
    const outlines = polygonsOfRuns(runs, TOLERANCE).map(({ outline }) => outline);
    const points = outlines.reduce((longest, each) => (each.length > longest.length ? each : longest));
    const head = { confidence: String(confidence), label: by.prompt, type: "mask", points };
    yield `${comma}${JSON.stringify(head).slice(0, -1)},"mask":[`;
    for (let y = top; y < top + height; y++) yield `${rowOf(runs, y, left, left + width, 1)},`;
    yield `${left},${top},${left + width - 1},${top + height - 1}]}`;
    comma = ",";
  }
  yield "]";
}

import type { RowRuns } from "../masks/runs/row-runs.ts";

/*
 * A mask's outline is made of the edges of its runs: each is the side of one pixel, with a set pixel on one hand and a clear one
 * on the other. An outline is followed with the set pixels on the right: up along the first edge of a run, down along its last.
 * Set pixels that only touch at a corner are not connected, clear ones are.
 */

/** Whether an edge, by its index, is the first of its run. */
export const isFirstEdge = (edge: number): boolean => (edge & 1) === 0;

/** The other edge of an edge's run. */
export const otherEdge = (edge: number): number => edge ^ 1;

/** The edge that follows each edge along its outline, by their indices: every outline is a cycle. */
export function followingEdges({ height, starts, edges }: RowRuns): Int32Array {
  const following = new Int32Array(edges.length);
  for (let y = 0; y <= height; y++) {
    const upper = rowOf(starts, y - 1);
    const lower = rowOf(starts, y);
    followDown(following, edges, upper, lower);
    if (y < height) followUp(following, edges, upper, lower);
  }
  return following;
}

/** A row's edges: [from, end). */
interface Row {
  readonly from: number;
  readonly end: number;
}

const rowOf = (starts: Int32Array, y: number): Row => ({
  from: starts[y] ?? 0,
  end: starts[y + 1] ?? starts[y] ?? 0,
});

/** What follows the last edges of the upper row's runs, which are left at their lower corners. */
function followDown(following: Int32Array, edges: Int32Array, upper: Row, lower: Row): void {
  const at = (edge: number): number => edges[edge] ?? 0;
  let below = lower.from;
  for (let first = upper.from; first < upper.end; first += 2) {
    const last = first + 1;
    while (below < lower.end && at(below + 1) < at(last)) below += 2;
    if (below < lower.end && at(below) < at(last)) {
      // The pixel below is set: straight on, or to the left along what it is part of.
      if (at(below + 1) === at(last)) following[last] = below + 1;
      else following[last] = last + 1 < upper.end && at(last + 1) < at(below + 1) ? last + 1 : below + 1;
    } else {
      const before = below - 1;
      following[last] = before > lower.from && at(before) > at(first) ? before : first;
    }
  }
}

/** What follows the first edges of the lower row's runs, which are left at their upper corners. */
function followUp(following: Int32Array, edges: Int32Array, upper: Row, lower: Row): void {
  const at = (edge: number): number => edges[edge] ?? 0;
  let above = upper.from;
  for (let first = lower.from; first < lower.end; first += 2) {
    const last = first + 1;
    while (above < upper.end && at(above + 1) <= at(first)) above += 2;
    if (above < upper.end && at(above) <= at(first)) {
      if (at(above) === at(first)) following[first] = above;
      else following[first] = first > lower.from && at(first - 1) > at(above) ? first - 1 : above;
    } else {
      following[first] = above < upper.end && at(above) < at(last) ? above : last;
    }
  }
}

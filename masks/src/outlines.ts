import { forEachSide, type RowRuns } from "./row-runs.ts";

/*
 * A mask's outline consists of the edges of its runs: each is the side of one pixel, between a set pixel and a clear
 * one. The walk along an outline keeps the set pixels on the right: up along the first edge of a run, down along its
 * last. Set pixels that only touch at a corner are not connected, clear ones are.
 */

/** True if an edge, by its index, is the first of its run. */
export const isFirstEdge = (edge: number): boolean => (edge & 1) === 0;

/** The other edge of an edge's run. */
export const otherEdge = (edge: number): number => edge ^ 1;

/** A mask's outlines. Each is a cycle of edges. */
export interface Outlines {
  /** The edge after each edge. */
  readonly following: Int32Array;
  /** The row of each edge's run. */
  readonly rowOf: (edge: number) => number;
  /**
   * The first edge of each outline: its highest row's leftmost edge. The first edge of a run begins the outline of a
   * part, the last edge of a run that of a hole. The other edge of that run belongs to an earlier outline: these edges
   * lead from hole to hole, and in the end to the outline around them all.
   */
  readonly begins: readonly number[];
}

/** Finds the outlines of a mask: of its connected parts (by their sides) and of the holes in them. */
export function outlinesOf(runs: RowRuns): Outlines {
  const { height, starts, edges } = runs;
  const rows = new Int32Array(edges.length >> 1);
  for (let y = 0; y < height; y++) rows.fill(y, (starts[y] ?? 0) >> 1, (starts[y + 1] ?? 0) >> 1);
  const following = new Int32Array(edges.length);
  forEachSide(
    runs,
    // Above a set pixel an outline leads to the right, below it to the left.
    (_, left, right, isLowerSet) => void (isLowerSet ? (following[left] = right) : (following[right] = left)),
    (upper, lower) => void (isFirstEdge(upper) ? (following[lower] = upper) : (following[upper] = lower)),
  );
  const begins: number[] = [];
  const seen = new Uint8Array(following.length);
  for (let edge = 0; edge < following.length; edge++) {
    if (seen[edge] === 1) continue;
    for (let at = edge; seen[at] === 0; at = following[at] ?? 0) seen[at] = 1;
    begins.push(edge);
  }
  return { following, rowOf: (edge) => rows[edge >> 1] ?? 0, begins };
}

import type { RowRuns } from "../masks/runs/row-runs.ts";
import { followingEdges, isFirstEdge, otherEdge } from "./follow.ts";
import { type Passage, Path } from "./path.ts";

/**
 * How far inside the set pixels an outline passes, in pixels. So a program that takes a pixel for inside if its centre is, as
 * the COCO API does, draws the mask again, and so does one that rounds coordinates down to pixels and draws outlines too, as
 * OpenCV's fillPoly does in YOLO's training.
 */
const INSET = 0.05;

/**
 * The polygons of a mask's connected parts (by their sides), in the order of their highest pixels. A hole is joined to what
 * surrounds it by a cut: a line there and back. The pixels whose centres are inside by the even-odd rule are the mask's.
 */
export function* outlinesOf(runs: RowRuns): Generator<readonly Passage[]> {
  const following = followingEdges(runs);
  const rows = rowsOfRuns(runs);
  const cuts = new Uint8Array(rows.length);
  const begins: number[] = [];
  const seen = new Uint8Array(following.length);
  for (let edge = 0; edge < following.length; edge++) {
    if (seen[edge] === 1) continue;
    for (let at = edge; seen[at] === 0; at = following[at] ?? 0) seen[at] = 1;
    // An outline is met first at its highest row's leftmost edge. To the left of a hole's is a run, whose other edge belongs to
    // an outline that was met before: so cuts lead from hole to hole, and in the end to what surrounds them all.
    if (isFirstEdge(edge)) begins.push(edge);
    else cuts[edge >> 1] = 1;
  }
  for (const edge of begins) yield followOutline(runs, { following, rows, cuts }, edge);
}

interface Edges {
  /** The edge after each edge. */
  readonly following: Int32Array;
  /** The row of each run. */
  readonly rows: Int32Array;
  /** 1 for each run along which a cut lies. */
  readonly cuts: Uint8Array;
}

function rowsOfRuns({ height, starts, edges }: RowRuns): Int32Array {
  const rows = new Int32Array(edges.length >> 1);
  for (let y = 0; y < height; y++) rows.fill(y, (starts[y] ?? 0) >> 1, (starts[y + 1] ?? 0) >> 1);
  return rows;
}

function followOutline({ edges }: RowRuns, { following, rows, cuts }: Edges, begin: number): Passage[] {
  const path = new Path();
  const rowAt = (edge: number): number => rows[edge >> 1] ?? 0;
  const cross = (edge: number, isFixed: boolean): void => {
    const x = (edges[edge] ?? 0) + (isFirstEdge(edge) ? INSET : -INSET);
    path.add({ x, y: rowAt(edge) + 0.5, upright: true }, isFixed);
  };
  let edge = begin;
  do {
    const hasCut = cuts[edge >> 1] === 1;
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
      const y = rowAt(edge) + (isFirstEdge(edge) ? 0 : 1) + step * INSET;
      path.add({ x: from + step / 2, y, upright: false });
      if (Math.abs(to - from) > 1) path.add({ x: to - step / 2, y, upright: false });
    }
    edge = next;
  } while (edge !== begin);
  return path.close();
}

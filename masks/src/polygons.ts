import type { Bitmap } from "./bitmap.ts";
import { isFirstEdge, otherEdge, outlinesOf } from "./outlines.ts";
import { type RowRuns, rowRunsOf } from "./row-runs.ts";

/** A closed line: x, y, x, y, … in pixels from the picture's upper left corner; the last point leads back to the first. */
export type Ring = readonly number[];

/** A connected part of a mask. */
export interface Polygon {
  readonly outline: Ring;
  readonly holes: readonly Ring[];
}

/**
 * The outlines of a mask's connected parts, in the order of their highest pixels, along the sides of its pixels:
 * filled, they are the mask. They run clockwise, those of holes counter-clockwise. A `tolerance` in pixels leaves out
 * points, as long as the line stays that near to its old course (Douglas and Peucker, 1973).
 */
export const polygonsOf = (mask: Bitmap, tolerance = 0): Polygon[] =>
  polygonsOfRuns(rowRunsOf(mask), tolerance);

/** As `polygonsOf`, of a mask's runs. */
export function polygonsOfRuns(runs: RowRuns, tolerance = 0): Polygon[] {
  const { following, rowOf, begins } = outlinesOf(runs);
  const polygons: { readonly outline: Ring; readonly holes: Ring[] }[] = [];
  const partOf = new Int32Array(runs.edges.length);
  for (const begin of begins) {
    const isHole = !isFirstEdge(begin);
    const part = isHole ? (partOf[otherEdge(begin)] ?? 0) : polygons.length;
    const ring: number[] = [];
    let edge = begin;
    do {
      partOf[edge] = part;
      const next = following[edge] ?? 0;
      const [from, to] = [runs.edges[edge] ?? 0, runs.edges[next] ?? 0];
      const y = rowOf(edge) + (isFirstEdge(edge) ? 0 : 1);
      if (from !== to) ring.push(from, y, to, y);
      edge = next;
    } while (edge !== begin);
    const line = tolerance > 0 ? simplify(ring, tolerance) : ring;
    if (isHole) polygons[part]?.holes.push(line);
    else polygons.push({ outline: line, holes: [] });
  }
  return polygons;
}

/** A ring's coordinate; after the last point comes the first. */
const at = (ring: Ring, i: number): number => ring[i % ring.length] ?? 0;

/**
 * Leaves out points of a ring as long as the line stays within `tolerance` pixels of its old course; see `polygonsOf`.
 */
export function simplify(ring: Ring, tolerance: number): Ring {
  const keep = new Set([0]);
  // The first span ends where it begins, so its farthest point splits the ring.
  const open = [[0, ring.length / 2]];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from = 0, to = 0] = span;
    const [index, distance] = farthest(ring, from, to);
    if (distance <= tolerance) continue;
    keep.add(index);
    open.push([from, index], [index, to]);
  }
  return keep.size < 3
    ? ring
    : [...keep].toSorted((a, b) => a - b).flatMap((i) => [at(ring, 2 * i), at(ring, 2 * i + 1)]);
}

/**
 * The point between two others that is farthest from their line, or from both if they are the same, and its distance.
 */
function farthest(ring: Ring, from: number, to: number): readonly [index: number, distance: number] {
  const [x1, y1] = [at(ring, 2 * from), at(ring, 2 * from + 1)];
  const [dx, dy] = [at(ring, 2 * to) - x1, at(ring, 2 * to + 1) - y1];
  const length = Math.hypot(dx, dy);
  let [best, most] = [from, -1];
  for (let index = from + 1; index < to; index++) {
    const [x, y] = [at(ring, 2 * index) - x1, at(ring, 2 * index + 1) - y1];
    const distance = length === 0 ? Math.hypot(x, y) : Math.abs(x * dy - y * dx) / length;
    if (distance > most) [best, most] = [index, distance];
  }
  return [best, most];
}

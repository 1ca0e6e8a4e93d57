import type { Bitmap } from "./bitmap.ts";

/** A closed line: x, y, x, y, … in pixels from the picture's upper left corner; the last point leads back to the first. */
export type Ring = readonly number[];

/** A connected part of a mask. */
export interface Polygon {
  readonly outline: Ring;
  readonly holes: readonly Ring[];
}

/** Steps along a pixel's upper, right, lower and left side, the pixel on the right hand. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/**
 * The outlines of a mask's connected parts, along the sides of its pixels: filled, they are the mask. With a `tolerance`
 * in pixels, points are left out as long as the line stays so near to where it was (Douglas and Peucker, 1973).
 */
export function polygonsOf(mask: Bitmap, tolerance = 0): Polygon[] {
  const rings = trace(mask);
  const polygons = rings
    .filter((ring) => signedArea(ring) > 0)
    .map((outline) => ({ outline, holes: [] as Ring[], size: signedArea(outline) }))
    .toSorted((a, b) => a.size - b.size);
  for (const hole of rings)
    // The smallest part around a hole is the one that it is in.
    if (signedArea(hole) < 0) polygons.find(({ outline }) => isInside(outline, hole))?.holes.push(hole);
  const simpler = (ring: Ring): Ring => (tolerance > 0 ? simplify(ring, tolerance) : ring);
  return polygons.map(({ outline, holes }) => ({ outline: simpler(outline), holes: holes.map(simpler) }));
}

/** All rings: around a part clockwise (y points down), around a hole counter-clockwise. */
function trace({ width, height, data }: Bitmap): number[][] {
  const isSet = (x: number, y: number): boolean => x >= 0 && x < width && data[y * width + x] === 255;
  const isUpperSide = (x: number, y: number): boolean => isSet(x, y) && !isSet(x, y - 1);
  const seen = new Uint8Array(data.length);
  const rings: number[][] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (seen[y * width + x] || !isUpperSide(x, y)) continue;
      const ring = [x, y];
      rings.push(ring);
      for (let [atX, atY, heading] = [x, y, 0]; ;) {
        if (heading === 0) seen[atY * width + atX] = 1;
        const [stepX, stepY] = STEPS[heading] ?? STEPS[0];
        atX += stepX;
        atY += stepY;
        // Seen from the corner: the pixels ahead, to the left and to the right of the line.
        const [left, right] = ahead(atX, atY, heading);
        const turn = !isSet(...right) ? 1 : isSet(...left) ? 3 : 0;
        heading = (heading + turn) % 4;
        if (atX === x && atY === y && heading === 0) break;
        if (turn !== 0) ring.push(atX, atY);
      }
    }
  return rings;
}

/** The pixels before a corner, to the left and to the right of a line with that heading. */
function ahead(x: number, y: number, heading: number): [left: [number, number], right: [number, number]] {
  const around: [number, number][] = [
    [x, y - 1],
    [x, y],
    [x - 1, y],
    [x - 1, y - 1],
  ];
  return [around[heading] ?? [x, y], around[(heading + 1) % 4] ?? [x, y]];
}

/** Twice the area, negative of a ring that runs counter-clockwise. */
function signedArea(ring: Ring): number {
  let area = 0;
  for (let i = 0; i < ring.length; i += 2) {
    const [x, y, nextX, nextY] = [at(ring, i), at(ring, i + 1), at(ring, i + 2), at(ring, i + 3)];
    area += x * nextY - nextX * y;
  }
  return area;
}

/** A ring's coordinate; after the last point comes the first. */
const at = (ring: Ring, i: number): number => ring[i % ring.length] ?? 0;

/** Whether a hole lies in a part: the middle of the pixel below its first side, which belongs to the part around it. */
function isInside(outline: Ring, hole: Ring): boolean {
  const [x, y] = [at(hole, 0) + 0.5, at(hole, 1) + 0.5];
  let inside = false;
  for (let i = 0; i < outline.length; i += 2) {
    const [x1, y1, x2, y2] = [at(outline, i), at(outline, i + 1), at(outline, i + 2), at(outline, i + 3)];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}

function simplify(ring: Ring, tolerance: number): Ring {
  const keep = new Set([0]);
  // The two ends of a closed line: its first point, and the one farthest from it.
  const far = farthest(ring, 0, ring.length / 2, 0);
  keep.add(far.index);
  const open = [
    [0, far.index],
    [far.index, ring.length / 2],
  ];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from = 0, to = 0] = span;
    const { index, distance } = farthest(ring, from, to, to);
    if (distance <= tolerance) continue;
    keep.add(index);
    open.push([from, index], [index, to]);
  }
  return keep.size < 3
    ? ring
    : [...keep].toSorted((a, b) => a - b).flatMap((i) => [at(ring, 2 * i), at(ring, 2 * i + 1)]);
}

/** The point between two others that is farthest from their line. */
function farthest(
  ring: Ring,
  from: number,
  to: number,
  end: number,
): { readonly index: number; readonly distance: number } {
  const [x1, y1, x2, y2] = [
    at(ring, 2 * from),
    at(ring, 2 * from + 1),
    at(ring, 2 * end),
    at(ring, 2 * end + 1),
  ];
  const length = Math.hypot(x2 - x1, y2 - y1);
  let best = { index: from, distance: -1 };
  for (let index = from + 1; index < to; index++) {
    const [x, y] = [at(ring, 2 * index) - x1, at(ring, 2 * index + 1) - y1];
    const distance = length === 0 ? Math.hypot(x, y) : Math.abs(x * (y2 - y1) - y * (x2 - x1)) / length;
    if (distance > best.distance) best = { index, distance };
  }
  return best;
}

import type { Point, Region, RegionPoint, Size } from "../types.ts";
import { clamp } from "./view.ts";

/** The service takes no more points per region. */
const MOST_POINTS = 20;

/** The whole pixel of the picture that a point is in, or the nearest one. */
export function pixelAt({ x, y }: Point, picture: Size): Point {
  return {
    x: clamp(Math.floor(x), 0, picture.width - 1),
    y: clamp(Math.floor(y), 0, picture.height - 1),
  };
}

/**
 * The region of the box between two points, in whole pixels and inside the picture; null if it has no width or no height
 * there.
 */
export function boxBetween(a: Point, b: Point, picture: Size): Extract<Region, { box: unknown }> | null {
  const [left, right] = ends(a.x, b.x, picture.width);
  const [top, bottom] = ends(a.y, b.y, picture.height);
  if (left === right || top === bottom) return null;
  return { box: [left, top, right - left, bottom - top] };
}

function ends(a: number, b: number, most: number): [number, number] {
  const near = (value: number): number => clamp(Math.round(value), 0, most);
  return [near(Math.min(a, b)), near(Math.max(a, b))];
}

/**
 * The latest draft with one point more; null if that is no region: there is no draft of points yet, or it has as many as
 * the service takes.
 */
export function withPoint(draft: Region | undefined, point: RegionPoint): Region | null {
  if (draft === undefined || !("points" in draft) || draft.points.length >= MOST_POINTS) return null;
  return { points: [...draft.points, point] };
}

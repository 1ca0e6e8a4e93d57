import type { Box } from "../bitmap.ts";
import type { Region, RegionPoint, Size } from "./region.ts";

/** Pixels by which a box may extend beyond the picture, because of rounding; the excess is cut off. */
const BEYOND = 1;

/** A `Place` whose field of the other kind may be there and undefined. */
type EitherPlace =
  | { readonly box: Box; readonly points?: undefined }
  | { readonly box?: undefined; readonly points: readonly RegionPoint[] };

/** A place as a region of a picture; undefined if it is not inside the picture. */
export const placed = (place: EitherPlace, picture: Size): Region | undefined =>
  place.box === undefined ? placedPoints(place.points, picture) : placedBox(place.box, picture);

function placedBox([x, y, width, height]: Box, picture: Size): Region | undefined {
  const [right, bottom] = [x + width, y + height];
  if (Math.min(x, y, picture.width - right, picture.height - bottom) < -BEYOND) return undefined;
  const corner = [Math.max(x, 0), Math.max(y, 0)] as const;
  const opposite = [Math.min(right, picture.width), Math.min(bottom, picture.height)] as const;
  return corner[0] < opposite[0] && corner[1] < opposite[1] ? { box: [...corner, ...opposite] } : undefined;
}

function placedPoints(points: readonly RegionPoint[], { width, height }: Size): Region | undefined {
  const areInside = points.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height);
  return areInside ? { points } : undefined;
}

import type { RegionBox, RegionPoint, TaskRegion } from "@segmentation/protocol";
import type { Box } from "../models/box.ts";
import type { Region } from "../models/model.ts";
import type { Size } from "../size.ts";
import { taskFailure } from "../failures.ts";

/** How many pixels a box may reach beyond the picture: as much as rounding does. It is cut off. */
const BEYOND = 1;

/** A task's regions, in their order, as the model takes them. @throws TaskFailure named region_outside_image */
export const placeRegions = (regions: readonly TaskRegion[], picture: Size): Region[] =>
  regions.map((region) => {
    const placed = "box" in region ? placeBox(region.box, picture) : placePoints(region.points, picture);
    if (placed !== undefined) return placed;
    const { width, height } = picture;
    throw taskFailure("region_outside_image", { index: region.index, width, height });
  });

function placeBox({ x, y, width, height }: RegionBox, picture: Size): { box: Box } | undefined {
  const [right, bottom] = [x + width, y + height];
  if (Math.min(x, y, picture.width - right, picture.height - bottom) < -BEYOND) return undefined;
  const corner = [Math.max(x, 0), Math.max(y, 0)] as const;
  const opposite = [Math.min(right, picture.width), Math.min(bottom, picture.height)] as const;
  return corner[0] < opposite[0] && corner[1] < opposite[1] ? { box: [...corner, ...opposite] } : undefined;
}

function placePoints(
  points: readonly RegionPoint[],
  { width, height }: Size,
): { points: readonly RegionPoint[] } | undefined {
  const areInside = points.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height);
  return areInside ? { points } : undefined;
}

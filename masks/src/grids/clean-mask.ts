/** Removes specks from a mask on its logit grid: small separate parts and small holes. */
import { components } from "./components.ts";
import { gridExtent, samplesAt } from "./mask-shape.ts";
import type { LogitGrid, Region, Size } from "./region.ts";

/** Shares of an object, 0 to 1. */
export interface Cleaning {
  /** Masks lose separate parts smaller than this share of the largest. */
  readonly islandShare: number;
  /** Masks lose holes smaller than this share of the object. */
  readonly holeShare: number;
}

/** The most grid cells of a speck in any object: the grid resolves nothing finer. */
const SPECK = 4;

/**
 * Drops small parts of a region's mask, and fills its holes. With points it fills only specks: a user who clicks may
 * want a hole. A part or a hole stays if a point marks it, or if the mask that the region corrects has it: an earlier
 * point may have drawn it.
 * @param picture the size of the picture, in whose pixels the region is
 */
export function cleanRegion(
  grid: LogitGrid,
  { points, prior }: Partial<Region>,
  picture: Size,
  cleaning: Cleaning,
): LogitGrid {
  const pointed = (points ?? []).map((point) => ({
    isSet: point.label === 1,
    cells: samplesAt(grid, point, picture).map(({ cell }) => cell),
  }));
  return cleanMask(
    grid,
    points === undefined ? cleaning : { ...cleaning, holeShare: 0 },
    (cell, isSet) =>
      pointed.some((point) => point.isSet === isSet && point.cells.includes(cell)) ||
      (prior !== undefined && (prior.logits[cell] ?? 0) > 0 === isSet),
  );
}

/**
 * Fills holes, then drops islands, by changing the sign of their logits: a bilinear zero crossing then runs around the
 * rest. Parts connect over edges and corners, holes over edges only.
 * @param stays returns true for a cell whose part, or whose hole if `isSet` is false, must not change
 */
export function cleanMask(
  grid: LogitGrid,
  { islandShare, holeShare }: Cleaning,
  stays: (cell: number, isSet: boolean) => boolean = () => false,
): LogitGrid {
  // Clear cells around the rectangle of the set cells are connected with the picture's edge: neither holes nor parts
  // leave it.
  const { area, left, top, right, bottom } = gridExtent(grid);
  const within = { width: right - left, height: bottom - top };
  const logits = grid.logits.slice();
  const sides = new Uint8Array(within.width * within.height);
  for (let y = 0, cell = 0; y < within.height; y += 1)
    for (let x = 0; x < within.width; x += 1, cell += 1)
      sides[cell] = sideOf(logits[(top + y) * grid.width + left + x] ?? 0);
  const placeOf = (cell: number): number =>
    (top + Math.floor(cell / within.width)) * grid.width + left + (cell % within.width);
  const flip = (cells: readonly number[], isSet: boolean): void => {
    if (cells.some((cell) => stays(placeOf(cell), isSet))) return;
    for (const cell of cells) {
      const place = placeOf(cell);
      logits[place] = flipped(logits[place] ?? 0);
      sides[cell] = isSet ? OUTSIDE : INSIDE;
    }
  };

  for (const hole of components(within, sides, OUTSIDE, false))
    if (!hole.touchesEdge && hole.area < Math.max(SPECK + 1, holeShare * area)) flip(hole.cells(), false);

  const parts = components(within, sides, INSIDE, true);
  const largest = parts.reduce((most, part) => Math.max(most, part.area), 0);
  for (const part of parts)
    if (part.area < largest && part.area < Math.max(SPECK + 1, islandShare * largest))
      flip(part.cells(), true);
  return { ...grid, logits };
}

/** A cell's side of a mask's edge; NaN is on neither. */
const [OUTSIDE, INSIDE, NEITHER] = [0, 1, 2];

function sideOf(logit: number): number {
  return logit > 0 ? INSIDE : logit <= 0 ? OUTSIDE : NEITHER;
}

/** Inside means above zero: a logit of exactly zero is outside. */
function flipped(logit: number): number {
  return -logit || Number.EPSILON;
}

/** Regions as SAM's clicks, and the choice among the masks that its decoder offers for them. */
import { gridIou, samplesAt } from "./mask-shape.ts";
import type { LogitGrid, Region, RegionPoint, Size } from "./region.ts";

/** A point in picture pixels, with one of SAM's labels: 0 outside the object (background), 1 on it (foreground), 2 and 3 a box's corners. */
interface Click extends Pick<RegionPoint, "x" | "y"> {
  readonly label: RegionPoint["label"] | typeof TOP_LEFT | typeof BOTTOM_RIGHT;
}

const TOP_LEFT = 2;
const BOTTOM_RIGHT = 3;

/** Converts a region to clicks. */
export function clicksOf({ box, points = [] }: Region): readonly Click[] {
  if (box === undefined) return points;
  const [x1, y1, x2, y2] = box;
  return [{ x: x1, y: y1, label: TOP_LEFT }, { x: x2, y: y2, label: BOTTOM_RIGHT }, ...points];
}

/** A mask that the decoder offers for a region, with its estimate of the mask's IoU. */
export interface Candidate {
  readonly mask: LogitGrid;
  readonly quality: number;
}

/**
 * The number of masks that SAM 2 offers for an ambiguous region: parts, or the whole. The mask for a clear region comes
 * first.
 */
const ALTERNATIVES = 3;

/** The share of a picture up to which a box is small: the alternatives in it are parts of its object. */
const SMALL = 1 / 200;

/**
 * Chooses the candidate for a region. A single point is ambiguous, and in a box that is not small the alternatives are
 * drawn better. Both get the alternative that the decoder rates best, of those that obey the point. A small box and
 * several points get the single mask, unless the decoder's export lacks it. With a prior, the decoder's estimate and
 * the overlap with the prior decide, of those that obey the points.
 * @param picture the size of the picture, in whose pixels the region is
 * @throws Error if there is no candidate
 */
export function chosen(candidates: readonly Candidate[], region: Region, picture: Size): Candidate {
  const { prior } = region;
  if (prior !== undefined)
    return best(obeying(candidates, region, picture), ({ mask, quality }) => quality * gridIou(mask, prior));
  const [single] = candidates.slice(0, -ALTERNATIVES);
  if (single !== undefined && isClear(region, picture)) return single;
  return best(obeying(candidates.slice(-ALTERNATIVES), region, picture), ({ quality }) => quality);
}

/** The candidates that cover a region's points on the object, and no points outside it; all candidates if none does. */
export function obeying<Mask extends Pick<Candidate, "mask">>(
  candidates: readonly Mask[],
  { points = [] }: Region,
  picture: Size,
): readonly Mask[] {
  const obedient = candidates.filter(({ mask }) =>
    points.every((point) => logitAt(mask, point, picture) > 0 === (point.label === 1)),
  );
  return obedient.length > 0 ? obedient : candidates;
}

/** The logit of a picture's pixel. */
const logitAt = (grid: LogitGrid, point: Pick<Click, "x" | "y">, picture: Size): number =>
  samplesAt(grid, point, picture).reduce(
    (sum, { cell, weight }) => sum + weight * (grid.logits[cell] ?? 0),
    0,
  );

/** True if a region means one object clearly, so that the single mask is the best. */
function isClear(region: Region, { width, height }: Size): boolean {
  if (region.box === undefined || region.points !== undefined) return clicksOf(region).length > 1;
  const [x1, y1, x2, y2] = region.box;
  return (x2 - x1) * (y2 - y1) <= SMALL * width * height;
}

function best(candidates: readonly Candidate[], valueOf: (candidate: Candidate) => number): Candidate {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("The decoder offered no mask for a region.");
  return others.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a), first);
}

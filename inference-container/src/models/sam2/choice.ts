/** Which of the decoder's candidates a region gets. */
import { gridIou } from "../mask-shape.ts";
import type { Size } from "../../size.ts";
import type { LogitGrid, Region } from "../model.ts";

/** A mask that the decoder offers for a region, with its estimate of the mask's IoU. */
export interface Candidate {
  readonly mask: LogitGrid;
  readonly quality: number;
}

/** How many masks SAM 2 offers for what may mean several things: a part, or the whole. The one for what is clear comes before. */
const ALTERNATIVES = 3;

/** The share of a picture up to which a box is small: the alternatives for what is in it are parts of that. */
const SMALL = 1 / 200;

/**
 * The candidate for a region. A single point may mean several things, and in a box that is not small the alternatives are
 * drawn better: both get the one that the decoder rates best. A small box and several points get the one mask, unless the
 * decoder's export has none. With a prior, the best by the decoder's estimate and by the overlap with it.
 * @param picture the size of the picture, in whose pixels the region is
 * @throws Error if there is no candidate
 */
export function chosen(candidates: readonly Candidate[], region: Region, picture: Size): Candidate {
  const { prior } = region;
  if (prior !== undefined) return best(candidates, ({ mask, quality }) => quality * gridIou(mask, prior));
  const [single] = candidates.slice(0, -ALTERNATIVES);
  if (single !== undefined && isClear(region, picture)) return single;
  return best(candidates.slice(-ALTERNATIVES), ({ quality }) => quality);
}

/** Whether a region says which object it means, so that the one mask is the best for it. */
function isClear(region: Region, { width, height }: Size): boolean {
  if ("points" in region) return region.points.length > 1;
  const [x1, y1, x2, y2] = region.box;
  return (x2 - x1) * (y2 - y1) <= SMALL * width * height;
}

function best(candidates: readonly Candidate[], valueOf: (candidate: Candidate) => number): Candidate {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("The decoder offered no mask for a region.");
  return others.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a), first);
}

/** Which of the decoder's candidates a region gets. */
import { gridIou } from "../mask-shape.ts";
import type { LogitGrid, Region } from "../model.ts";
import { clicksOf } from "./clicks.ts";

/** A mask that the decoder offers for a region, with its estimate of the mask's IoU. */
export interface Candidate {
  readonly mask: LogitGrid;
  readonly quality: number;
}

/** How many masks SAM 2 offers for what may mean several things: a part, or the whole. The one for what is clear comes before. */
const ALTERNATIVES = 3;

/**
 * The candidate for a region, as SAM 2's predictor chooses: of a single point, which may mean several things, the alternative
 * that the decoder rates best; of a box or several points the one mask, unless the decoder's export has none. With a prior, the
 * best by the decoder's estimate and by the overlap with it.
 * @throws Error if there is no candidate
 */
export function chosen(candidates: readonly Candidate[], region: Region): Candidate {
  const { prior } = region;
  if (prior !== undefined) return best(candidates, ({ mask, quality }) => quality * gridIou(mask, prior));
  const [single] = candidates.slice(0, -ALTERNATIVES);
  if (single !== undefined && clicksOf(region).length > 1) return single;
  return best(candidates.slice(-ALTERNATIVES), ({ quality }) => quality);
}

function best(candidates: readonly Candidate[], valueOf: (candidate: Candidate) => number): Candidate {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("The decoder offered no mask for a region.");
  return others.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a), first);
}

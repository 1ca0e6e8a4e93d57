import { type Box, boundsOf, type Rle, rleOf, type RowRuns } from "@segmentation/masks";

/** A mask in a COCO annotation. */
export interface CocoShape {
  readonly segmentation: Rle;
  /** The set pixels' own box, not the detector's. */
  readonly bbox: Box;
  /** The number of set pixels. */
  readonly area: number;
}

/** The shapes of masks in use: prompts that mean the same share theirs. */
const known = new WeakMap<RowRuns, CocoShape>();

/** The shape of a mask with at least one set pixel. */
export function cocoShapeOf(runs: RowRuns): CocoShape {
  const shape = known.get(runs) ?? makeShape(runs);
  known.set(runs, shape);
  return shape;
}

function makeShape(runs: RowRuns): CocoShape {
  const { left, top, right, bottom } = boundsOf(runs);
  return { segmentation: rleOf(runs), bbox: [left, top, right - left, bottom - top], area: runs.area };
}

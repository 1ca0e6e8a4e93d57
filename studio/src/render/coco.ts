import { type Box, boundsOf, type Rle, rleOf } from "@segmentation/masks";
import { type LabelledMask, runsOf } from "./labels.ts";

/** An object of a picture as COCO describes it. */
interface CocoObject {
  /** Its class, from 0. */
  readonly classIndex: number;
  readonly bbox: Box;
  readonly area: number;
  /** 0 to 1. */
  readonly score: number;
  readonly segmentation: Rle;
}

/** A picture of a COCO document: its size in pixels, and its objects. */
export interface CocoPart {
  readonly width: number;
  readonly height: number;
  readonly objects: readonly CocoObject[];
}

/** Describes the masks of a picture for COCO. @param size of the picture, in pixels */
export async function cocoPartOf(
  masks: readonly LabelledMask[],
  { width, height }: Pick<CocoPart, "width" | "height">,
): Promise<CocoPart> {
  const objects: CocoObject[] = [];
  for (const { png, classIndex, confidence } of masks) {
    const runs = await runsOf(png);
    const { left, top, right, bottom } = boundsOf(runs);
    const bbox =
      runs.area === 0 ? ([0, 0, 0, 0] as const) : ([left, top, right - left, bottom - top] as const);
    objects.push({ classIndex, bbox, area: runs.area, score: confidence, segmentation: rleOf(runs) });
  }
  return { width, height, objects };
}

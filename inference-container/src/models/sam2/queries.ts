/** Boxes of a detector with one box per query, and a score of each for a prompt, as in DETR (Carion et al., 2020). */
import { boxAround, clipBox, suppress } from "../box.ts";
import { confidenceOf } from "../confidence.ts";
import type { Corners, LogitGrid, Size } from "@segmentation/masks";
import type { Instance, SegmentRequest } from "../model.ts";
import type { BoxChoice } from "./manifest.ts";

/** A detected object, of a prompt. */
export interface FoundBox extends Pick<Instance, "promptIndex" | "score" | "faint"> {
  readonly box: Corners;
  /** The detector's own mask; absent if SAM 2 draws it. */
  readonly mask?: LogitGrid;
}

export interface Detection {
  /** Its confidence, 0 to 1. */
  readonly score: number;
  /** In picture pixels, inside the picture. */
  readonly box: Corners;
}

/**
 * The boxes of all queries inside the picture; undefined for a box outside.
 * @param boxes centers and sizes, [queries, 4], as shares of `extent`, whose upper left corner is the picture's
 */
export function queryBoxes(boxes: Float32Array, extent: Size, picture: Size): (Corners | undefined)[] {
  return Array.from({ length: boxes.length / 4 }, (_, query) => {
    const [x = 0, y = 0, w = 0, h = 0] = boxes.subarray(4 * query, 4 * query + 4);
    const { width, height } = extent;
    const box = boxAround(x * width, y * height, w * width, h * height);
    return clipBox(box, picture.width, picture.height);
  });
}

/**
 * A prompt's detections, faint objects included, best first, after NMS.
 * @param scoreOf the detector's score of a query for the prompt, 0 to 1
 */
export function detectionsOf(
  boxes: readonly (Corners | undefined)[],
  scoreOf: (query: number) => number,
  { confidence, faintFloor, nmsIou, maxBoxes }: BoxChoice,
): Detection[] {
  const found = boxes.flatMap((box, query): Detection[] => {
    const score = confidenceOf(scoreOf(query), confidence);
    return box !== undefined && score >= faintFloor ? [{ score, box }] : [];
  });
  return suppress(found, nmsIou).slice(0, maxBoxes);
}

/** The wanted detections of each prompt, in the order of instances. */
export function wantedBoxes(
  byPrompt: readonly (readonly Detection[])[],
  { threshold, withFaint }: Pick<SegmentRequest, "threshold" | "withFaint">,
  { floor, faintFloor }: BoxChoice,
): FoundBox[] {
  const least = Math.max(threshold, withFaint ? faintFloor : floor);
  return byPrompt.flatMap((detections, promptIndex) =>
    detections
      .filter(({ score }) => score >= least)
      .map(({ score, box }) => ({ promptIndex, score, box, faint: score < floor })),
  );
}

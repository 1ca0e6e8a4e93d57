import { boundaryOf } from "./boundary.ts";
import { mean } from "./statistics.ts";
import { AREAS, match } from "./matching.ts";
import { maskIou } from "./mask.ts";
import type { Find, Label, Query } from "./query.ts";

/** A find counts as right if its mask has this IoU with a label's. */
const RIGHT_IOU = 0.5;

/** A find with a certain verdict, and its label if it is right. */
export interface JudgedFind {
  readonly query: Query;
  readonly find: Find;
  readonly right: boolean;
  readonly label: Label | null;
}

/**
 * Judges every detection at IoU 0.5, by COCO's rules; leaves out those in crowds. A verdict does not depend on less
 * confident ones, so one pass holds for every threshold.
 */
export function judge(queries: readonly Query[]): JudgedFind[] {
  return queries.flatMap((query) => {
    const { verdicts, labelOf } = match(query, RIGHT_IOU, AREAS.all);
    return query.finds.flatMap((find, at) =>
      verdicts[at] === "ignored"
        ? []
        : [{ query, find, right: verdicts[at] === "right", label: query.labels[labelOf[at] ?? -1] ?? null }],
    );
  });
}

/** Figures of the detections with at least this score. Shares are 0 to 1, null without anything to count. */
export interface ThresholdRow {
  readonly threshold: number;
  readonly finds: number;
  /** The share of correct detections. */
  readonly precision: number | null;
  /** The share of found ones among the labels. */
  readonly recall: number | null;
  readonly f1: number | null;
  /** The mean IoU of the correct detections with their labels, and of their boundaries. */
  readonly iou: number | null;
  readonly boundaryIou: number | null;
}

/** A row for each threshold; `wanted` is the number of labels without crowds. */
export function byThreshold(
  judged: readonly JudgedFind[],
  wanted: number,
  thresholds: readonly number[],
): ThresholdRow[] {
  const agreements = new Map(
    judged.map((one) => [
      one.find,
      one.label === null
        ? null
        : {
            iou: maskIou(one.find.mask, one.label.mask),
            boundary: maskIou(boundaryOf(one.find.mask), boundaryOf(one.label.mask)),
          },
    ]),
  );
  return thresholds.map((threshold) => {
    const finds = judged.filter(({ find }) => find.score >= threshold);
    const agreed = finds.flatMap(({ find }) => agreements.get(find) ?? []);
    const right = agreed.length;
    return {
      threshold,
      finds: finds.length,
      precision: finds.length === 0 ? null : right / finds.length,
      recall: wanted === 0 ? null : right / wanted,
      f1: finds.length + wanted === 0 ? null : (2 * right) / (finds.length + wanted),
      iou: mean(agreed.map(({ iou }) => iou)),
      boundaryIou: mean(agreed.map(({ boundary }) => boundary)),
    };
  });
}

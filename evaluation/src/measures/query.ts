import { boundaryOf } from "./boundary.ts";
import { type Mask, maskIou, shareInCrowd } from "./mask.ts";

/** A labeled object. */
export interface Label {
  readonly mask: Mask;
  /** In pixels, from the label: the COCO API sorts objects into sizes by it. */
  readonly area: number;
  /** True if the mask covers a crowd of such objects without separate labels. */
  readonly crowd: boolean;
}

/** An object found by the model. */
export interface Find {
  readonly mask: Mask;
  /** Confidence, 0 to 1. */
  readonly score: number;
}

/** One category in one picture: its labels, its detections, and their IoUs. */
export interface Query {
  /** Indices of the picture and of the category. */
  readonly picture: number;
  readonly category: number;
  readonly labels: readonly Label[];
  /** By descending score; equal ones in the order in which they came. */
  readonly finds: readonly Find[];
  /** The IoU of each detection (first index) with each label (second); with a crowd, the detection's share in it. */
  readonly ious: readonly (readonly number[])[];
}

/** Compares finds with labels. All masks have one size. */
export function makeQuery(
  picture: number,
  category: number,
  labels: readonly Label[],
  found: readonly Find[],
): Query {
  const finds = found.toSorted((a, b) => b.score - a.score);
  const ious = finds.map(({ mask }) => labels.map((label) => agreement(mask, label)));
  return { picture, category, labels, finds, ious };
}

/** The same query by the lesser of each mask IoU and its boundary IoU: the basis of the boundary AP. */
export function byBoundary(query: Query): Query {
  if (query.finds.length === 0 || query.labels.length === 0) return query;
  const outlines = query.labels.map((label) => ({ ...label, mask: boundaryOf(label.mask) }));
  const ious = query.finds.map(({ mask }, find) => {
    const outline = boundaryOf(mask);
    return outlines.map((label, at) => Math.min(query.ious[find]?.[at] ?? 0, agreement(outline, label)));
  });
  return { ...query, ious };
}

function agreement(mask: Mask, label: Label): number {
  return label.crowd ? shareInCrowd(mask, label.mask) : maskIou(mask, label.mask);
}

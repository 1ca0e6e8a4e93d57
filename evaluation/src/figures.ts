import type { DrawnObject, SetAnswers } from "./ask-set.ts";
import type { LabelledSet } from "./labelled-set.ts";
import { averagePrecision, type AveragePrecision } from "./measures/average-precision.ts";
import { byThreshold, judge, type ThresholdRow } from "./measures/by-threshold.ts";
import { calibration, type Calibration } from "./measures/calibration.ts";
import { classificationGatedF1, type CgF1 } from "./measures/cg-f1.ts";
import { maskIou } from "./measures/mask.ts";
import { AREAS, inRange } from "./measures/matching.ts";
import { byBoundary, type Query } from "./measures/query.ts";
import { mean, quantile } from "./measures/statistics.ts";

type Size = keyof typeof AREAS;
export const SIZES: readonly Size[] = ["all", "small", "medium", "large"];
type BySize<T> = Readonly<Record<Size, T>>;

/** The mean IoU of some objects with their labels. */
interface DrawnWell {
  readonly objects: number;
  readonly iou: number | null;
}

/** All figures; shares, AP and IoU are 0 to 1, null where there is nothing to measure. */
export interface Figures {
  readonly maskAp: BySize<AveragePrecision>;
  /** AP by the lesser of the mask's and the boundary's IoU. */
  readonly boundaryAp: BySize<AveragePrecision>;
  readonly byThreshold: readonly ThresholdRow[];
  /** For the same thresholds as `byThreshold`. */
  readonly cgF1: readonly CgF1[];
  /** Of the scores, against the share of correct detections at IoU 0.5. */
  readonly calibration: Calibration;
  /** IoUs of the labeled objects drawn in their boxes; null if the subject draws no regions. */
  readonly boxes: BySize<DrawnWell> | null;
  /** The same for a point on each. */
  readonly points: BySize<DrawnWell> | null;
  readonly ms: { readonly median: number | null; readonly p90: number | null };
}

/** Computes the figures of answers. @param threshold the requested one: `byThreshold` begins there */
export function measureAnswers(
  set: LabelledSet,
  queries: readonly Query[],
  answers: Pick<SetAnswers, "drawn" | "ms">,
  threshold: number,
): Figures {
  const judged = judge(queries);
  const wanted = set.objects.filter(({ crowd }) => !crowd).length;
  const thresholds = thresholdsFrom(threshold);
  const outlines = queries.map(byBoundary);
  const { drawn, ms } = answers;
  return {
    maskAp: bySize((size) => averagePrecision(queries, AREAS[size])),
    boundaryAp: bySize((size) => averagePrecision(outlines, AREAS[size])),
    byThreshold: byThreshold(judged, wanted, thresholds),
    cgF1: thresholds.map((least) => classificationGatedF1(queries, least)),
    calibration: calibration(judged.map(({ find: { score }, right }) => ({ score, right }))),
    boxes: drawn && drawnBySize(drawn.filter(({ by }) => by === "box")),
    points: drawn && drawnBySize(drawn.filter(({ by }) => by === "point")),
    ms: { median: quantile(ms, 0.5), p90: quantile(ms, 0.9) },
  };
}

function bySize<T>(value: (size: Size) => T): BySize<T> {
  return { all: value("all"), small: value("small"), medium: value("medium"), large: value("large") };
}

/** Every twentieth from the threshold up. */
function thresholdsFrom(threshold: number): number[] {
  return Array.from({ length: 20 }, (_, i) => i / 20).filter((step) => step >= threshold);
}

function drawnBySize(drawn: readonly DrawnObject[]): BySize<DrawnWell> {
  return bySize((size) => {
    const some = drawn.filter(({ object }) => inRange(object.area, AREAS[size]));
    return { objects: some.length, iou: mean(some.map(({ object, mask }) => maskIou(object.mask, mask))) };
  });
}

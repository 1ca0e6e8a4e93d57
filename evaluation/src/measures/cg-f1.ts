import { assign } from "../../../inference-container/src/tracking/assignment.ts";
import { mean } from "./statistics.ts";
import { IOU_THRESHOLDS } from "./matching.ts";
import type { Query } from "./query.ts";

export interface CgF1 {
  /** Of the detections with at least this score. */
  readonly threshold: number;
  /** The product of the two below, times 100. */
  readonly cgF1: number;
  /** Quality of the detections and masks where the category is in the picture: see `classificationGatedF1`. */
  readonly positiveMicroF1: number;
  /** Quality of the decision if a category is in a picture at all: Matthews correlation coefficient, -1 to 1. */
  readonly imageLevelMcc: number;
}

/**
 * The classification-gated F1 of SA-Co (Carion et al., "SAM 3: Segment Anything with Concepts", 2025) of finds with at
 * least this score. Finds and labels of a query are paired so that the sum of the IoUs is greatest. At each IoU
 * threshold from .50 to .95, F1 counts the pairs, misses and surplus finds of all queries whose category is in the
 * picture. Surplus detections count only in pictures with labels and detections. The mean of these F1s is multiplied by the
 * correlation, over all queries, between "there are labels" and "there are finds". Crowds are no labels.
 */
export function classificationGatedF1(queries: readonly Query[], threshold: number): CgF1 {
  const judged = queries.map((query) => pairUp(query, threshold));
  const positive = judged.filter(({ labels }) => labels > 0);
  const wanted = positive.reduce((sum, { labels }) => sum + labels, 0);
  const finds = positive.reduce((sum, query) => sum + query.finds, 0);
  const pairs = positive.flatMap(({ ious }) => ious);
  const f1s = IOU_THRESHOLDS.map((least) => {
    const right = pairs.filter((iou) => iou >= least).length;
    return wanted + finds === 0 ? 0 : (2 * right) / (wanted + finds);
  });
  const positiveMicroF1 = mean(f1s) ?? 0;
  const imageLevelMcc = correlation(judged.map(({ labels, finds: found }) => [labels > 0, found > 0]));
  return { threshold, cgF1: 100 * positiveMicroF1 * imageLevelMcc, positiveMicroF1, imageLevelMcc };
}

interface Paired {
  readonly labels: number;
  readonly finds: number;
  /** The IoU of each pair. */
  readonly ious: readonly number[];
}

function pairUp(query: Query, score: number): Paired {
  const single = query.labels.flatMap(({ crowd }, label) => (crowd ? [] : [label]));
  const rows = query.ious
    .filter((_, find) => (query.finds[find]?.score ?? 0) >= score)
    .map((row) => single.map((label) => row[label] ?? 0));
  const ious = assign(rows).flatMap((label, find) => rows[find]?.[label] ?? []);
  return { labels: single.length, finds: rows.length, ious };
}

/** Matthews correlation coefficient of pairs of facts; 0 if one of them never changes. */
function correlation(pairs: readonly (readonly [boolean, boolean])[]): number {
  const count = (a: boolean, b: boolean): number =>
    pairs.filter((pair) => pair[0] === a && pair[1] === b).length;
  const [both, first, second, neither] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false),
  ];
  const scale = Math.sqrt((both + second) * (both + first) * (neither + second) * (neither + first));
  return scale === 0 ? 0 : (both * neither - first * second) / scale;
}

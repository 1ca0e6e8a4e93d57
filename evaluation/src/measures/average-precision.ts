import { type AreaRange, IOU_THRESHOLDS, match, type Verdict } from "./matching.ts";
import type { Query } from "./query.ts";
import { mean } from "./statistics.ts";

/** COCO considers this many detections per category and picture, the most confident ones. */
const MOST_FINDS = 100;
/** COCO's recall thresholds, 0 to 1: exact to the bit, because a recall may equal one. */
const RECALLS: readonly number[] = Array.from({ length: 101 }, (_, i) => i * 0.01);

/** Means over the categories that have labels of the area; null if none has. */
export interface AveragePrecision {
  /** Average precision (AP) over the IoU thresholds .50 to .95, 0 to 1. */
  readonly mean: number | null;
  /** AP at IoU .50 alone. */
  readonly at50: number | null;
  /** AP at IoU .75 alone. */
  readonly at75: number | null;
  /** The recall of up to 100 finds per picture and category, over the IoU thresholds (COCO's AR). */
  readonly recall: number | null;
}

interface Judged {
  readonly score: number;
  readonly verdict: Verdict;
}

/** COCO's AP (COCOeval.accumulate and summarize) of queries in the order of their pictures. */
export function averagePrecision(queries: readonly Query[], area: AreaRange): AveragePrecision {
  const curves = [...Map.groupBy(queries, ({ category }) => category).values()].flatMap((ofCategory) => {
    const atThresholds = IOU_THRESHOLDS.map((threshold) => curve(ofCategory, threshold, area));
    return atThresholds.every((one) => one !== null) ? [atThresholds] : [];
  });
  const precisions = curves.map((one) => one.map(({ precision }) => precision));
  return {
    mean: mean(precisions.flat()),
    at50: mean(precisions.flatMap((one) => one[0] ?? [])),
    at75: mean(precisions.flatMap((one) => one[5] ?? [])),
    recall: mean(curves.flat().map(({ recall }) => recall)),
  };
}

interface Curve {
  readonly precision: number;
  readonly recall: number;
}

/** A category's precision averaged over 101 recalls, and its recall at the end; null if it has no label of the area. */
function curve(queries: readonly Query[], threshold: number, area: AreaRange): Curve | null {
  const matched = queries.map((query) => ({ query, ...match(query, threshold, area, MOST_FINDS) }));
  const wanted = matched.reduce((sum, one) => sum + one.wanted, 0);
  if (wanted === 0) return null;
  const judged = matched
    .flatMap(({ query, verdicts }) =>
      verdicts.map((verdict, find): Judged => ({ score: query.finds[find]?.score ?? 0, verdict })),
    )
    .toSorted((a, b) => b.score - a.score);
  const recalls: number[] = [];
  const precisions: number[] = [];
  let [right, wrong] = [0, 0];
  for (const { verdict } of judged) {
    if (verdict === "right") right++;
    else if (verdict === "wrong") wrong++;
    recalls.push(right / wanted);
    precisions.push(right + wrong === 0 ? 0 : right / (right + wrong));
  }
  // The best precision at this recall or a higher one.
  for (let i = precisions.length - 2; i >= 0; i--)
    precisions[i] = Math.max(precisions[i] ?? 0, precisions[i + 1] ?? 0);
  let at = 0;
  const sum = RECALLS.reduce((total, recall) => {
    while (at < recalls.length && (recalls[at] ?? 0) < recall) at++;
    return total + (precisions[at] ?? 0);
  }, 0);
  return { precision: sum / RECALLS.length, recall: recalls.at(-1) ?? 0 };
}

import type { Query } from "./query.ts";

/** Objects of these areas in pixels count, both ends included; all others are neither missed nor found. */
export interface AreaRange {
  readonly least: number;
  readonly most: number;
}

/** The COCO API's sizes. */
export const AREAS = {
  all: { least: 0, most: 1e10 },
  small: { least: 0, most: 32 ** 2 },
  medium: { least: 32 ** 2, most: 96 ** 2 },
  large: { least: 96 ** 2, most: 1e10 },
} as const satisfies Record<string, AreaRange>;

export const inRange = (area: number, { least, most }: AreaRange): boolean => area >= least && area <= most;

/** The COCO API's ten IoU thresholds, .50 to .95: exact to the bit, because an IoU may equal one. */
export const IOU_THRESHOLDS: readonly number[] = Array.from({ length: 10 }, (_, i) =>
  i === 9 ? 0.95 : i * ((0.95 - 0.5) / 9) + 0.5,
);

/** The verdict on one detection: right, wrong, or ignored, as one in a crowd. */
export type Verdict = "right" | "wrong" | "ignored";

export interface Matching {
  /** Of each judged find, in the query's order. */
  readonly verdicts: readonly Verdict[];
  /** The label of each judged find; -1 if it has none. */
  readonly labelOf: readonly number[];
  /** The number of labels that count: those of the area, without crowds. */
  readonly wanted: number;
}

/** A label that finds may take; `counts` is false for crowds and other sizes. */
interface Candidate {
  readonly index: number;
  readonly crowd: boolean;
  readonly counts: boolean;
}

/**
 * Gives labels to finds by the COCO API's rules (COCOeval.evaluateImg): the most confident find chooses first. It takes
 * the free label with which it agrees best, and at least by `threshold`. Without one, it takes a label that does not
 * count (a crowd, which bears many finds, or another size) and is ignored. Finds without a label are wrong, unless they
 * are of another size themselves.
 *
 * @param most the number of detections to judge, the most confident ones
 */
export function match(query: Query, threshold: number, area: AreaRange, most = Infinity): Matching {
  const labels = query.labels.map(({ crowd, area: size }, index): Candidate => {
    return { index, crowd, counts: !crowd && inRange(size, area) };
  });
  const order = labels.toSorted((a, b) => Number(b.counts) - Number(a.counts));
  const taken = new Set<number>();
  const labelOf: number[] = [];
  const verdicts = query.finds.slice(0, most).map(({ mask }, find): Verdict => {
    let best: Candidate | undefined;
    let iou = threshold;
    for (const label of order) {
      if (taken.has(label.index) && !label.crowd) continue;
      if (best?.counts === true && !label.counts) break;
      const agreed = query.ious[find]?.[label.index] ?? 0;
      if (agreed < iou) continue;
      iou = agreed;
      best = label;
    }
    labelOf.push(best?.index ?? -1);
    if (best === undefined) return inRange(mask.area, area) ? "wrong" : "ignored";
    taken.add(best.index);
    return best.counts ? "right" : "ignored";
  });
  return { verdicts, labelOf, wanted: order.filter(({ counts }) => counts).length };
}

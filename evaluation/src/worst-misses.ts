import type { LabelledSet } from "./labelled-set.ts";
import type { Mask } from "./measures/mask.ts";
import { AREAS, match } from "./measures/matching.ts";
import type { Query } from "./measures/query.ts";

/** The default threshold of jobs. */
const SHOWN_SCORE = 0.5;
const RIGHT_IOU = 0.5;
/** Below it, a detection and an object are unrelated. */
const NEAR_IOU = 0.05;
const MOST_MISSED = 16;
const MOST_WRONG = 8;
/** The most misses of one picture on the sheet. */
const MOST_OF_A_PICTURE = 2;

/** An undetected object, or a wrong detection. */
export interface Miss {
  readonly kind: "missed" | "wrong";
  /** Index into the set's pictures. */
  readonly picture: number;
  /** The object's mask, or the wrong detection's. */
  readonly mask: Mask;
  /** The detection nearest to the object, or the object nearest to the detection; null if none overlaps it. */
  readonly nearest: Mask | null;
  /** Its kind, and the IoU of the nearest. */
  readonly caption: readonly [string, string];
}

/** The largest missed objects, then the most confident wrong detections, of those with a score of 0.5 or more. */
export function worstMisses(set: LabelledSet, queries: readonly Query[]): Miss[] {
  const judged = queries.map((query) => ({ query, ...match(query, RIGHT_IOU, AREAS.all) }));
  const name = ({ category }: Query): string => set.categories[category]?.name ?? "";
  const missed = judged.flatMap(({ query, labelOf }) =>
    query.labels.flatMap((label, at) => {
      const finder = query.finds[labelOf.indexOf(at)];
      if (label.crowd || (finder !== undefined && finder.score >= SHOWN_SCORE)) return [];
      const share = label.mask.area / (label.mask.width * label.mask.height);
      const near = largest(query.ious.map((row) => row[at] ?? 0));
      const nearest = query.finds[near.index];
      const how =
        finder !== undefined
          ? `found with a score of ${finder.score.toFixed(2)} only`
          : nearest === undefined
            ? "nothing was found there"
            : `a find of ${nearest.score.toFixed(2)} has IoU ${near.value.toFixed(2)}`;
      const caption = [`missed: ${name(query)}, ${(100 * share).toFixed(1)} % of the picture`, how] as const;
      const found = finder?.mask ?? nearest?.mask ?? null;
      return [
        {
          rank: share,
          miss: {
            kind: "missed",
            picture: query.picture,
            mask: label.mask,
            nearest: found,
            caption,
          } as const,
        },
      ];
    }),
  );
  const wrong = judged.flatMap(({ query, verdicts }) =>
    query.finds.flatMap(({ score, mask }, at) => {
      if (verdicts[at] !== "wrong" || score < SHOWN_SCORE) return [];
      const near = largest(query.ious[at] ?? []);
      const nearest = query.labels[near.index]?.mask ?? null;
      const how =
        nearest === null
          ? `no ${name(query)} is labelled there`
          : near.value >= RIGHT_IOU
            ? "the object was found twice"
            : `IoU ${near.value.toFixed(2)} with the nearest ${name(query)}`;
      const caption = [`wrong: ${name(query)} ${score.toFixed(2)}`, how] as const;
      return [
        { rank: score, miss: { kind: "wrong", picture: query.picture, mask, nearest, caption } as const },
      ];
    }),
  );
  return [...worst(missed, MOST_MISSED), ...worst(wrong, MOST_WRONG)];
}

interface Ranked {
  readonly rank: number;
  readonly miss: Miss;
}

function worst(ranked: readonly Ranked[], most: number): Miss[] {
  const chosen: Miss[] = [];
  for (const { miss } of ranked.toSorted((a, b) => b.rank - a.rank)) {
    if (chosen.length === most) break;
    if (chosen.filter(({ picture }) => picture === miss.picture).length < MOST_OF_A_PICTURE)
      chosen.push(miss);
  }
  return chosen;
}

/** The largest IoU and its index; index -1 if it is too small to matter. */
function largest(values: readonly number[]): { readonly index: number; readonly value: number } {
  const value = Math.max(0, ...values);
  return { index: value >= NEAR_IOU ? values.indexOf(value) : -1, value };
}

import type { Provider } from "../../inference-container/src/device/messages.ts";
import { askSet, type SetAnswers } from "./ask-set.ts";
import type { LabelledSet } from "./labelled-set.ts";
import { maskIou } from "./measures/mask.ts";
import { mean, quantile } from "./measures/statistics.ts";
import { withModelFolder } from "./model-folder.ts";
import type { FoundObject } from "./queries.ts";
import { readSet } from "./read-set.ts";

/** A validated command line; paths are as given. */
export interface CompareCommand {
  readonly action: "compare";
  readonly folder: string;
  /** The provider to compare with the CPU. */
  readonly provider: Exclude<Provider, "cpu">;
  readonly json: boolean;
  readonly pictures: string;
  readonly labels: string;
}

/** Leaves out finds below it: near the requested threshold, a rounding decides which exist. */
const THRESHOLD = 0.3;
/** Two finds with less in common are two objects. */
const SAME = 0.5;

/** Bounds within which a provider gives the CPU's results; docs/models.md states them. */
const BOUNDS = { meanIou: 0.99, lowIou: 0.95, score: 0.02, unmatched: 0.01 } as const;

/** IoUs of the masks that both providers drew of the same object. */
interface Agreement {
  readonly masks: number;
  readonly meanIou: number | null;
  /** The IoU that 99 % of the masks reach. */
  readonly lowIou: number | null;
}

export interface Comparison {
  readonly providers: readonly [string, string];
  readonly pictures: number;
  /** Median milliseconds per picture, all categories and no features remembered. */
  readonly ms: readonly [number | null, number | null];
  readonly finds: Agreement & {
    /** The share of both providers' finds that the other one lacks. */
    readonly unmatched: number;
    /** The greatest difference between the scores of one object. */
    readonly score: number;
  };
  /** Labeled objects, drawn in their boxes and at a point; null if the model draws no regions. */
  readonly drawn: Agreement | null;
  /** True if everything is within `BOUNDS`. */
  readonly equal: boolean;
}

/** Asks a folder's model about a labeled set on the CPU and on another provider, and compares the answers. */
export async function compareProviders(command: CompareCommand): Promise<Comparison> {
  const onDisk = await readSet(command.pictures, command.labels);
  const answersOn = (provider: Provider): Promise<{ name: string; answers: SetAnswers }> =>
    withModelFolder(command.folder, provider, async (subject) => ({
      name: subject.name,
      answers: await askSet(subject, onDisk, { threshold: THRESHOLD, draws: true }, process.stderr),
    }));
  const [here, there] = [await answersOn("cpu"), await answersOn(command.provider)];
  return {
    providers: [here.name, there.name],
    pictures: onDisk.set.pictures.length,
    ms: [quantile(here.answers.ms, 0.5), quantile(there.answers.ms, 0.5)],
    ...compareAnswers(onDisk.set, here.answers, there.answers),
  };
}

/** Compares two sets of answers about the same pictures. */
export function compareAnswers(
  { categories }: Pick<LabelledSet, "categories">,
  here: Pick<SetAnswers, "found" | "drawn">,
  there: Pick<SetAnswers, "found" | "drawn">,
): Pick<Comparison, "finds" | "drawn" | "equal"> {
  const key = ({ picture, category }: FoundObject): number => picture * categories.length + category;
  const others = Map.groupBy(there.found, key);
  const ious: number[] = [];
  let score = 0;
  for (const find of here.found) {
    const candidates = others.get(key(find)) ?? [];
    const overlaps = candidates.map(({ mask }) => maskIou(mask, find.mask));
    const best = overlaps.indexOf(Math.max(...overlaps));
    const iou = overlaps[best] ?? 0;
    const [other] = iou > SAME ? candidates.splice(best, 1) : [];
    if (other === undefined) continue;
    ious.push(iou);
    score = Math.max(score, Math.abs(other.score - find.score));
  }
  const all = here.found.length + there.found.length;
  const finds = { ...agreement(ious), unmatched: all === 0 ? 0 : 1 - (2 * ious.length) / all, score };
  const pairs = here.drawn?.map(({ mask }, at) => ({ mask, other: there.drawn?.[at]?.mask })) ?? null;
  const drawn =
    pairs === null
      ? null
      : agreement(pairs.map(({ mask, other }) => (other === undefined ? 0 : maskIou(mask, other))));
  const agrees = ({ meanIou, lowIou }: Agreement): boolean =>
    (meanIou ?? 1) >= BOUNDS.meanIou && (lowIou ?? 1) >= BOUNDS.lowIou;
  const equal =
    agrees(finds) &&
    (drawn === null || agrees(drawn)) &&
    finds.score <= BOUNDS.score &&
    finds.unmatched <= BOUNDS.unmatched;
  return { finds, drawn, equal };
}

const agreement = (ious: readonly number[]): Agreement => ({
  masks: ious.length,
  meanIou: mean(ious),
  lowIou: quantile(ious, 0.01),
});

const agreed = ({ masks, meanIou, lowIou }: Agreement): string =>
  `${masks} masks, IoU ${(meanIou ?? 1).toFixed(4)} on average, ${(lowIou ?? 1).toFixed(4)} or more in 99 %`;

/** The comparison for a terminal. */
export function comparisonLines({ providers, pictures, ms, finds, drawn, equal }: Comparison): string[] {
  const times = ms.map((value) => `${(value ?? 0).toFixed(0)} ms`).join(" and ");
  return [
    `${providers.join(" and ")}: ${pictures} pictures, ${times} per picture (median)`,
    `by words    ${agreed(finds)}; scores differ by at most ${finds.score.toFixed(4)}; ${(100 * finds.unmatched).toFixed(1)} % are found on one alone`,
    ...(drawn === null ? [] : [`by regions  ${agreed(drawn)}`]),
    equal
      ? "Both give the same results, within the bounds of docs/models.md."
      : "The results differ by more than the bounds of docs/models.md.",
  ];
}

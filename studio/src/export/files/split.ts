import type { Classes } from "./classes.ts";
import type { Subject } from "./entry.ts";

/** Part of a data set: for training or for validation. */
export type Part = "train" | "val";

/** Split of a data set: the share of the pictures for validation, 0 to 1, and the seed that decides which. */
export interface Split {
  readonly share: number;
  readonly seed: number;
}

/** Random numbers from 0 to 1 (Mulberry32, by T. Ettinger): the same for the same seed. */
function* randoms(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ;) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = randoms(seed);
  return items
    .map((item) => ({ item, at: random.next().value }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Number of `count` pictures for validation: at least one is left for each part, if there are two. */
const wantedOf = (count: number, share: number): number =>
  Math.min(Math.max(Math.round(count * share), 1), count - 1);

/**
 * Assigns pictures to parts, by taskId, so that each class has its share of pictures in both (after Sechidis, Tsoumakas and Vlahavas, "On
 * the stratification of multi-label data", 2011): the rarest class is distributed first. Pictures without objects count as a class. A class
 * with one picture is for training.
 */
export function splitOf(
  subjects: readonly Subject[],
  classes: Classes,
  { share, seed }: Split,
): ReadonlyMap<string, Part> {
  const all = shuffled(subjects, seed).map(({ taskId, masks }) => ({
    taskId,
    // -1 for none.
    classes: new Set(masks.length === 0 ? [-1] : masks.map(({ label }) => classes.indexOf(label))),
  }));
  const byClass = Map.groupBy(
    all.flatMap((picture) => [...picture.classes].map((index) => ({ index, picture }))),
    ({ index }) => index,
  );
  const parts = new Map<string, Part>();
  const validated = new Map<number, number>();
  const assign = ({ taskId, classes: own }: (typeof all)[number], part: Part): void => {
    parts.set(taskId, part);
    if (part === "val") for (const index of own) validated.set(index, (validated.get(index) ?? 0) + 1);
  };
  for (const [index, members] of [...byClass].toSorted((a, b) => a[1].length - b[1].length))
    for (const { picture } of members) {
      if (parts.has(picture.taskId)) continue;
      const isWanted = (validated.get(index) ?? 0) < wantedOf(members.length, share);
      assign(picture, isWanted ? "val" : "train");
    }
  // Ultralytics needs a picture in each part.
  const [first, ...others] = all;
  if (first !== undefined && others.length > 0)
    for (const part of ["val", "train"] as const)
      if (![...parts.values()].includes(part)) parts.set(first.taskId, part);
  return parts;
}

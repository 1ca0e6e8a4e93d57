import type { GalleryItem } from "./items.ts";

/** Condition of a filter, in addition to the label. */
export type Status = "all" | "with" | "without" | "failed" | "canceled" | "accepted" | "rejected" | "open";

/** Selects the pictures of a batch that are shown. */
export interface Filter {
  readonly status: Status;
  /** Only pictures with a shown object of this label; null for any. */
  readonly label: string | null;
  /** True if the pictures with the least sure objects come first. */
  readonly isUnsureFirst?: boolean;
}

export const EVERYTHING: Filter = { status: "all", label: null };

/** Fields that a filter reads. */
type Filtered = Pick<GalleryItem, "state" | "count" | "labels" | "verdict" | "leastSure">;

const MATCHES: Readonly<Record<Status, (item: Filtered) => boolean>> = {
  all: () => true,
  with: ({ count }) => (count ?? 0) > 0,
  without: ({ state, count }) => state === "done" && count === 0,
  failed: ({ state }) => state === "failed",
  canceled: ({ state }) => state === "canceled",
  accepted: ({ verdict }) => verdict === "accepted",
  rejected: ({ verdict }) => verdict === "rejected",
  open: ({ state, verdict }) => state === "done" && verdict === null,
};

/** True if a filter lets a picture through. A picture whose objects are unknown has no label. */
const isMatch = (item: Filtered, { status, label }: Filter): boolean =>
  MATCHES[status](item) && (label === null || (item.labels?.includes(label) ?? false));

/** The pictures that a filter lets through, in its order. */
export function filtered<Item extends Filtered>(items: readonly Item[], filter: Filter): Item[] {
  const all = items.filter((item) => isMatch(item, filter));
  return filter.isUnsureFirst === true
    ? all.toSorted((a, b) => (a.leastSure ?? Infinity) - (b.leastSure ?? Infinity) || 0)
    : all;
}

/** The pictures without a verdict whose objects all have a confidence from this one on. */
export const sureOf = <Item extends Filtered>(items: readonly Item[], least: number): Item[] =>
  items.filter(
    ({ state, verdict, leastSure }) =>
      state === "done" && verdict === null && leastSure !== null && leastSure >= least,
  );

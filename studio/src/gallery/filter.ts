import type { GalleryItem } from "./items.ts";

/** Condition of a filter, in addition to the label. */
export type Status = "all" | "with" | "without" | "failed" | "canceled" | "accepted" | "rejected" | "open";

/** Selects the pictures of a batch that are shown. */
export interface Filter {
  readonly status: Status;
  /** Only pictures with a shown object of this label; null for any. */
  readonly label: string | null;
}

export const EVERYTHING: Filter = { status: "all", label: null };

/** Fields that a filter reads. */
type Filtered = Pick<GalleryItem, "state" | "count" | "labels" | "verdict">;

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
export const isMatch = (item: Filtered, { status, label }: Filter): boolean =>
  MATCHES[status](item) && (label === null || (item.labels?.includes(label) ?? false));

/** The pictures that a filter lets through. */
export const filtered = <Item extends Filtered>(items: readonly Item[], filter: Filter): Item[] =>
  items.filter((item) => isMatch(item, filter));

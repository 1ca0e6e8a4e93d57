import type { BakedMask } from "../bake/types.ts";

/** A mask of a gallery's picture. */
export interface GalleryMask extends BakedMask {
  /** What it answers; null if it was pointed at. */
  readonly prompt: string | null;
  /** Hidden masks are neither drawn nor counted. */
  readonly isShown: boolean;
}

/** A picture of a batch. */
export interface GalleryItem {
  readonly key: string;
  /** Its file's name. */
  readonly name: string;
  /** How far it is: not sent yet, its file on the way, its task waiting, being segmented, done or failed. */
  readonly state: "here" | "sending" | "waiting" | "processing" | "done" | "failed";
  /** Of a file on its way the share that has arrived, 0 to 1. */
  readonly share: number | null;
  /** Why it failed, or which prompts it could not serve, as the service says it: a code, a colon and a sentence. */
  readonly problem: string | null;
  /** How many masks it has, once that is known. */
  readonly count: number | null;
  /** Changes whenever its file, its masks or which of them are shown do: only then it is drawn again. */
  readonly revision: string;
  /** The file, if it is in this browser. */
  readonly original: () => Promise<Blob | null>;
  /** Fetches the masks of a picture that is done. */
  readonly masks: () => Promise<readonly GalleryMask[]>;
}

export type Filter = "all" | "with" | "without" | "failed";

const MATCHES: Readonly<Record<Filter, (item: GalleryItem) => boolean>> = {
  all: () => true,
  with: ({ count }) => (count ?? 0) > 0,
  without: ({ state, count }) => state === "done" && count === 0,
  failed: ({ state }) => state === "failed",
};

/** The items that a filter lets through. */
export const filtered = <Item extends GalleryItem>(items: readonly Item[], filter: Filter): Item[] =>
  items.filter(MATCHES[filter]);

/** How many of the shown masks answer each prompt, with the colour of its first one. */
export interface PromptCount {
  readonly prompt: string | null;
  readonly count: number;
  readonly rgb: BakedMask["rgb"];
}

/** Counts the shown masks by prompt, in the order in which they come. */
export function countedByPrompt(masks: readonly GalleryMask[]): PromptCount[] {
  const counts = new Map<string | null, PromptCount>();
  for (const { prompt, rgb, isShown } of masks) {
    if (!isShown) continue;
    const known = counts.get(prompt) ?? { prompt, rgb, count: 0 };
    counts.set(prompt, { ...known, count: known.count + 1 });
  }
  return [...counts.values()];
}

/** The keys that go from item to item of a grid, each as a place made of the present one. */
const STEPS: Readonly<Record<string, (at: number, columns: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at, columns) => at - columns,
  ArrowDown: (at, columns, count) =>
    // From the row above an unfinished last row one comes to its last item.
    at + columns >= count && Math.floor(at / columns) < Math.floor((count - 1) / columns)
      ? count - 1
      : at + columns,
  Home: () => 0,
  End: (_, __, count) => count - 1,
};

/** Where a key leads from an item of a grid that is filled row by row; null if it leads nowhere. */
export function stepTo(key: string, at: number, columns: number, count: number): number | null {
  const to = STEPS[key]?.(at, columns, count) ?? at;
  return to === at || to < 0 || to >= count ? null : to;
}

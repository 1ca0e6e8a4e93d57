import type { Verdict } from "../workspace/rules/review.ts";
import type { TintedMask } from "../render/types.ts";

/** A mask of a gallery's picture. */
export interface GalleryMask extends TintedMask {
  /** The object's label: its prompt, or a name that a person gave; null if neither. */
  readonly label: string | null;
  /** Hidden masks are neither drawn nor counted. */
  readonly isShown: boolean;
}

/** A picture of a batch. */
export interface GalleryItem {
  readonly key: string;
  /** Its file's name. */
  readonly name: string;
  /** Its state: not sent yet, its file on the way, its task waiting, being segmented, done, failed or canceled. */
  readonly state: "here" | "sending" | "waiting" | "processing" | "done" | "failed" | "canceled";
  /** The share of a file on its way that has arrived, 0 to 1. */
  readonly share: number | null;
  /**
   * The reason why it failed, or the prompts that it could not serve, in the service's words: a code, a colon and a
   * sentence.
   */
  readonly problem: string | null;
  /** Number of shown masks, once it is known. */
  readonly count: number | null;
  /** Labels of their objects, once they are known; null for an object without one. */
  readonly labels: readonly (string | null)[] | null;
  /** The lowest confidence of its shown objects; null if there are none, or it is not known. */
  readonly leastSure: number | null;
  /** Verdict of its review; null if there is none. */
  readonly verdict: Verdict | null;
  /** Changes with its file, its masks or the set of shown masks: only then it is drawn again. */
  readonly revision: string;
  /** The file, if it is in this browser. */
  readonly original: () => Promise<Blob | null>;
  /** Fetches the masks of a picture that is done. */
  readonly masks: () => Promise<readonly GalleryMask[]>;
}

/** Number of shown masks of a label, with the color of the first one. */
export interface LabelCount {
  readonly label: string | null;
  readonly count: number;
  readonly rgb: TintedMask["rgb"];
}

/** Counts the shown masks by label, in the order in which they come. */
export function countedByLabel(masks: readonly GalleryMask[]): LabelCount[] {
  const counts = new Map<string | null, LabelCount>();
  for (const { label, rgb, isShown } of masks) {
    if (!isShown) continue;
    const known = counts.get(label) ?? { label, rgb, count: 0 };
    counts.set(label, { ...known, count: known.count + 1 });
  }
  return [...counts.values()];
}

/** The keys that move within a grid, each with a function of the present place. */
const STEPS: Readonly<Record<string, (at: number, columns: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at, columns) => at - columns,
  ArrowDown: (at, columns, count) =>
    // From the row above an unfinished last row, the key leads to the last item.
    at + columns >= count && Math.floor(at / columns) < Math.floor((count - 1) / columns)
      ? count - 1
      : at + columns,
  Home: () => 0,
  End: (_, __, count) => count - 1,
};

/** Returns the item to which a key leads in a grid that is filled row by row; null if there is none. */
export function stepTo(key: string, at: number, columns: number, count: number): number | null {
  const to = STEPS[key]?.(at, columns, count) ?? at;
  return to === at || to < 0 || to >= count ? null : to;
}

import type { Box } from "../box.ts";

/** An object that the detector found. */
export interface Detection {
  /** Index into the vocabulary's labels. */
  readonly label: number;
  /** 0 to 1: the graph's score where a view is looked at, then the confidence. */
  readonly score: number;
  /** In picture pixels, inside the picture. */
  readonly box: Box;
}

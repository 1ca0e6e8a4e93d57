import type { LogitGrid } from "@segmentation/masks";

/** A mask of one sample that covers everything and counts how often it is read. */
export class CountedMask implements LogitGrid {
  readonly width = 1;
  readonly height = 1;
  reads = 0;
  readonly #logits = Float32Array.of(9);

  get logits(): Float32Array {
    this.reads += 1;
    return this.#logits;
  }
}

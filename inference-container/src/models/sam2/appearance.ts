/** What an object looks like to SAM 2: the image embedding, averaged over the object. */
import type { LogitGrid } from "../model.ts";
import { unit } from "../arithmetic.ts";

/** A picture's embedding; its objects' appearances are parts of it. */
export class Embedding {
  readonly #values: Float32Array;
  readonly #dims: readonly number[];
  /** The mean of each channel over the whole picture. */
  readonly #means: Float64Array;

  /** @param values of [1, channels, height, width] @param dims these four */
  constructor(values: Float32Array, dims: readonly number[]) {
    this.#values = values;
    this.#dims = dims;
    const [, channels = 0, height = 0, width = 0] = dims;
    this.#means = Float64Array.from(
      { length: channels },
      (_, channel) => this.#plane(channel).reduce((sum, value) => sum + value, 0) / (width * height),
    );
  }

  /**
   * The embedding's mean over a mask's set cells, less its mean over the whole picture, as a vector of length 1 (zeros if the
   * mask is empty): what distinguishes the object from its surroundings.
   */
  appearance(mask: LogitGrid): Float32Array {
    const [, channels = 0, height = 0, width = 0] = this.#dims;
    const weights = coverage(mask, width, height);
    const covered = [...weights.keys()].filter((cell) => (weights[cell] ?? 0) > 0);
    const total = covered.reduce((sum, cell) => sum + (weights[cell] ?? 0), 0);
    const vector = new Float32Array(channels);
    if (total === 0) return vector;
    for (let channel = 0; channel < channels; channel += 1) {
      const plane = this.#plane(channel);
      const inside = covered.reduce((sum, cell) => sum + (weights[cell] ?? 0) * (plane[cell] ?? 0), 0);
      vector[channel] = inside / total - (this.#means[channel] ?? 0);
    }
    return unit(vector);
  }

  #plane(channel: number): Float32Array {
    const [, , height = 0, width = 0] = this.#dims;
    return this.#values.subarray(channel * height * width, (channel + 1) * height * width);
  }
}

/** How many of a mask's set cells lie in each cell of a coarser grid. */
function coverage(mask: LogitGrid, width: number, height: number): Uint32Array {
  const counts = new Uint32Array(width * height);
  for (let y = 0; y < mask.height; y += 1)
    for (let x = 0; x < mask.width; x += 1) {
      if ((mask.logits[y * mask.width + x] ?? 0) <= 0) continue;
      const cell = Math.floor((y * height) / mask.height) * width + Math.floor((x * width) / mask.width);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  return counts;
}

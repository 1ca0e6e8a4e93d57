/** Appearance of an object to SAM 2: the image embedding, averaged over the object. */
import { gridExtent, type LogitGrid } from "@segmentation/masks";
import type { PictureAppearance } from "../model.ts";
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
   * The embedding's mean over a mask's set cells, less its mean over the whole picture, as a vector of length 1 (zeros
   * if the mask is empty). It distinguishes the object from its surroundings.
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

/**
 * Appearance of each cell of an embedding: its values less their means over the whole picture, as a vector of length 1.
 * @param values of [1, channels, height, width]
 * @param dims these four
 */
export function appearanceOf(
  values: Float32Array,
  [, channels = 0, height = 0, width = 0]: readonly number[],
): PictureAppearance {
  const cells = width * height;
  const appearance = new Float32Array(cells * channels);
  const squares = new Float64Array(cells);
  for (let channel = 0; channel < channels; channel += 1) {
    const plane = values.subarray(channel * cells, (channel + 1) * cells);
    let sum = 0;
    for (const value of plane) sum += value;
    const mean = sum / cells;
    for (let cell = 0; cell < cells; cell += 1) {
      const value = (plane[cell] ?? 0) - mean;
      appearance[cell * channels + channel] = value;
      squares[cell] = (squares[cell] ?? 0) + value * value;
    }
  }
  for (let cell = 0; cell < cells; cell += 1) {
    const length = Math.sqrt(squares[cell] ?? 0);
    if (length === 0) continue;
    for (let at = cell * channels; at < (cell + 1) * channels; at += 1)
      appearance[at] = (appearance[at] ?? 0) / length;
  }
  return { channels, width, height, appearance };
}

/** The share of each cell of a coarser grid that a mask covers, 0 to 1. */
export function coverage(mask: LogitGrid, width: number, height: number): Float32Array {
  const shares = new Float32Array(width * height);
  const each = (width * height) / (mask.width * mask.height);
  const { left, top, right, bottom } = gridExtent(mask);
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      if ((mask.logits[y * mask.width + x] ?? 0) <= 0) continue;
      const cell = Math.floor((y * height) / mask.height) * width + Math.floor((x * width) / mask.width);
      shares[cell] = (shares[cell] ?? 0) + each;
    }
  return shares;
}

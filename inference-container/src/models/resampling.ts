/** Resizes pictures as the models' references do. */

import type { Size } from "@segmentation/masks";

/** The source samples of each target sample, and their weights. */
interface Windows<W extends Int32Array | Float64Array> {
  /** The first source sample of each target sample. */
  readonly starts: Int32Array;
  /** The number of source samples of each target sample. */
  readonly counts: Int32Array;
  /** The weights of each, `widest` apart. */
  readonly weights: W;
  readonly widest: number;
}

/** Weights that are whole numbers, `1 << precision` for all of a target sample. */
interface WholeWindows extends Windows<Int32Array> {
  readonly precision: number;
}

/** A filter's weight at a distance from the center, and the distance at which it becomes zero. */
interface Filter {
  readonly support: number;
  readonly weight: (distance: number) => number;
}

/** PIL's bilinear and bicubic filters; the second is that of Keys (1981) with a = −½. */
const FILTERS = {
  linear: { support: 1, weight: (x) => Math.max(0, 1 - Math.abs(x)) },
  cubic: {
    support: 2,
    weight: (distance) => {
      const x = Math.abs(distance);
      if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
    },
  },
} satisfies Record<string, Filter>;

/**
 * Resizes bytes as PIL and torchvision do: first across, then down, rounded after each. The filter is as wide as source
 * pixels, or as target pixels if they are wider, around the target pixel's center at (i + ½) × from / to. The weights
 * are torchvision's of 16 bits, so that the bytes are torchvision's.
 * @param rgb three bytes per pixel, row by row
 */
export function resize(
  rgb: Uint8Array,
  from: Size,
  to: Size,
  kernel: keyof typeof FILTERS,
): Uint8Array | Uint8ClampedArray {
  const filter = FILTERS[kernel];
  const across = from.width === to.width ? rgb : resizeAcross(rgb, from, to.width, filter);
  return from.height === to.height
    ? across
    : resizeDown(across, 3 * to.width, windows(from.height, to.height, filter));
}

function windows(from: number, to: number, { support: reach, weight }: Filter): WholeWindows {
  const scale = from / to;
  const stretched = Math.max(1, scale);
  const support = reach * stretched;
  const widest = 2 * Math.ceil(support) + 1;
  const [starts, counts] = [new Int32Array(to), new Int32Array(to)];
  const shares = new Float64Array(to * widest);
  for (let i = 0; i < to; i += 1) {
    const centre = (i + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - support + 0.5));
    const count = Math.min(from, Math.trunc(centre + support + 0.5)) - start;
    const own = shares.subarray(i * widest, i * widest + count);
    for (let j = 0; j < count; j += 1) own[j] = weight((start + j + 0.5 - centre) / stretched);
    const total = own.reduce((sum, share) => sum + share, 0);
    for (let j = 0; j < count; j += 1) own[j] = (own[j] ?? 0) / total;
    [starts[i], counts[i]] = [start, count];
  }
  // The most bits with which the largest weight still fits in 16, the sign included.
  const largest = shares.reduce((most, share) => Math.max(most, share), 0);
  let precision = 0;
  while (precision < 22 && Math.trunc(0.5 + largest * 2 ** (precision + 1)) < 2 ** 15) precision += 1;
  const weights = Int32Array.from(shares, (share) =>
    Math.trunc(share * 2 ** precision + 0.5 * Math.sign(share)),
  );
  return { starts, counts, weights, widest, precision };
}

function resizeAcross(rgb: Uint8Array, from: Size, width: number, filter: Filter): Uint8ClampedArray {
  const { starts, counts, weights, widest, precision } = windows(from.width, width, filter);
  const half = 1 << (precision - 1);
  const target = new Uint8ClampedArray(3 * width * from.height);
  let to = 0;
  for (let y = 0; y < from.height; y += 1)
    for (let x = 0; x < width; x += 1) {
      let at = 3 * (y * from.width + (starts[x] ?? 0));
      let [red, green, blue] = [half, half, half];
      const end = x * widest + (counts[x] ?? 0);
      for (let j = x * widest; j < end; j += 1, at += 3) {
        const weight = weights[j] ?? 0;
        red += weight * (rgb[at] ?? 0);
        green += weight * (rgb[at + 1] ?? 0);
        blue += weight * (rgb[at + 2] ?? 0);
      }
      target[to] = red >> precision;
      target[to + 1] = green >> precision;
      target[to + 2] = blue >> precision;
      to += 3;
    }
  return target;
}

/** @param row bytes per row */
function resizeDown(
  rgb: Uint8Array | Uint8ClampedArray,
  row: number,
  { starts, counts, weights, widest, precision }: WholeWindows,
): Uint8ClampedArray {
  const target = new Uint8ClampedArray(row * starts.length);
  const sums = new Int32Array(row);
  for (const [y, start] of starts.entries()) {
    sums.fill(1 << (precision - 1));
    for (let j = 0; j < (counts[y] ?? 0); j += 1) {
      const [weight, from] = [weights[y * widest + j] ?? 0, (start + j) * row];
      for (let i = 0; i < row; i += 1) sums[i] = (sums[i] ?? 0) + weight * (rgb[from + i] ?? 0);
    }
    for (let i = 0; i < row; i += 1) target[y * row + i] = (sums[i] ?? 0) >> precision;
  }
  return target;
}

/**
 * Pads a picture with black to a square, to the right or below, and resizes that without rounding, as the processor of
 * OWLv2 does. Where it shrinks by a factor f, it first applies a Gaussian of (f − 1) / 2 pixels, mirrored at the
 * square's edges; then it interpolates four neighbors.
 * @returns three values of 0 to 255 per pixel, row by row
 */
export function resizeSquare(rgb: Uint8Array, { width, height }: Size, to: number): Float32Array {
  const side = Math.max(width, height);
  const across = weigh(rgb, [height, width, 3], blurredWindows(side, to, width));
  return weigh(across, [1, height, 3 * to], blurredWindows(side, to, height));
}

/**
 * Interpolates four neighbors without rounding, also where it shrinks, as torchvision does without antialiasing.
 * @returns three values of 0 to 255 per pixel, row by row
 */
export function interpolate(rgb: Uint8Array, from: Size, to: Size): Float32Array {
  const rows = blurredWindows(from.height, to.height, from.height, 0);
  const down = weigh(rgb, [1, from.height, 3 * from.width], rows);
  return weigh(down, [to.height, from.width, 3], blurredWindows(from.width, to.width, from.width, 0));
}

/**
 * @param shown the number of source samples, of `from`, in the picture; leaves out the others, which are black
 * @param sigma of the Gaussian
 */
function blurredWindows(
  from: number,
  to: number,
  shown: number,
  sigma = Math.max(0, (from / to - 1) / 2),
): Windows<Float64Array> {
  const scale = from / to;
  const radius = Math.ceil(3 * sigma);
  const bell = Array.from({ length: 2 * radius + 1 }, (_, k) =>
    sigma === 0 ? 1 : Math.exp(-0.5 * ((k - radius) / sigma) ** 2),
  );
  const total = bell.reduce((sum, share) => sum + share, 0);
  const widest = 2 * radius + 2;
  const [starts, counts] = [new Int32Array(to), new Int32Array(to)];
  const weights = new Float64Array(to * widest);
  for (let i = 0; i < to; i += 1) {
    // In single precision, as PyTorch has it.
    const centre = Math.max(0, Math.fround(Math.fround(Math.fround(scale) * (i + 0.5)) - 0.5));
    const first = Math.floor(centre);
    const start = Math.max(0, first - radius);
    starts[i] = start;
    counts[i] = Math.max(0, Math.min(first + radius + 2, shown) - start);
    for (const [neighbour, share] of [
      [first, first + 1 - centre],
      [Math.min(first + 1, from - 1), centre - first],
    ] as const)
      for (const [k, height] of bell.entries()) {
        const place = i * widest + mirrored(neighbour + k - radius, from) - start;
        weights[place] = (weights[place] ?? 0) + (share * height) / total;
      }
  }
  return { starts, counts, weights, widest };
}

/** The place of a sample beyond an edge, mirrored at the outermost sample. */
function mirrored(at: number, count: number): number {
  return at < 0 ? -at : at < count ? at : 2 * (count - 1) - at;
}

/** Resizes the middle axis of an array of three. */
function weigh(
  values: Uint8Array | Float32Array,
  [before, count, after]: readonly [number, number, number],
  { starts, counts, weights, widest }: Windows<Float64Array>,
): Float32Array {
  const target = new Float32Array(before * starts.length * after);
  for (let b = 0, to = 0; b < before; b += 1)
    for (let i = 0; i < starts.length; i += 1, to += after) {
      let from = (b * count + (starts[i] ?? 0)) * after;
      const end = i * widest + (counts[i] ?? 0);
      for (let j = i * widest; j < end; j += 1, from += after) {
        const weight = weights[j] ?? 0;
        for (let a = 0; a < after; a += 1)
          target[to + a] = (target[to + a] ?? 0) + weight * (values[from + a] ?? 0);
      }
    }
  return target;
}

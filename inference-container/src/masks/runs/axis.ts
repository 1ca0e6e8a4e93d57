/**
 * One axis of a bilinear resize with half-pixel centres and clamped edges (torch's align_corners=false): the source
 * coordinate of output i is (i + 0.5) · from / to − 0.5, clamped to [0, from − 1]; its integer part names the left or
 * upper sample, its fraction weighs the next one. Both halves together never decrease in i, in floating point too.
 */
export interface Axis {
  /** `from + 1` places: the outputs between a sample and the next one are [starts[sample], starts[sample + 1]). */
  readonly starts: Int32Array;
  /** For each output the weight of the next sample, at most 1 − 2^-52: what is below 1 but near it is a multiple of that. */
  readonly fraction: Float64Array;
}

export function resizeAxis(from: number, to: number): Axis {
  const axis = { starts: new Int32Array(from + 1).fill(to), fraction: new Float64Array(to) };
  const { starts, fraction } = axis;
  const scale = from / to;
  let next = 0;
  for (let i = 0; i < to; i++) {
    const at = Math.min(Math.max((i + 0.5) * scale - 0.5, 0), from - 1);
    const sample = Math.floor(at);
    fraction[i] = at - sample;
    while (next <= sample) starts[next++] = i;
  }
  return axis;
}

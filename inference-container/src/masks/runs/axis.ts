/**
 * One axis of a bilinear resize with half-pixel centres and clamped edges (torch's align_corners=false). The source
 * coordinate of output i is (i + 0.5) · from / to − 0.5, clamped to [0, from − 1]; its integer part is the index of the
 * left or upper sample, its fraction the weight of the next one. The two together never decrease in i, in floating
 * point too.
 */
export interface Axis {
  /** `from + 1` indices: the outputs between a sample and the next one are [starts[sample], starts[sample + 1]). */
  readonly starts: Int32Array;
  /** The weight of the next sample for each output, at most 1 − 2^-52: values just below 1 are multiples of 2^-52. */
  readonly fraction: Float64Array;
}

/** The axis that resizes `from` samples to `to` outputs. */
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

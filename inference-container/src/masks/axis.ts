/**
 * One axis of a bilinear resize with half-pixel centres and clamped edges (torch's align_corners=false): the source
 * coordinate of output i is (i + 0.5) · from / to − 0.5, clamped to [0, from − 1]; its integer part names the left or
 * upper sample, its fraction weighs the next one. Both halves together never decrease in i, in floating point too.
 */
export interface Axis {
  readonly index: Int32Array;
  readonly fraction: Float64Array;
}

export function resizeAxis(from: number, to: number): Axis {
  const index = new Int32Array(to);
  const fraction = new Float64Array(to);
  const scale = from / to;
  for (let i = 0; i < to; i++) {
    const at = Math.min(Math.max((i + 0.5) * scale - 0.5, 0), from - 1);
    index[i] = Math.floor(at);
    fraction[i] = at - Math.floor(at);
  }
  return { index, fraction };
}

/** The outputs [first, last] that lie between a sample and its neighbour; samples without an output are left out. */
export interface Span {
  readonly sample: number;
  readonly first: number;
  readonly last: number;
}

export function spansOf(axis: Axis): Span[] {
  const spans: Span[] = [];
  let first = 0;
  for (let i = 1; i <= axis.index.length; i++) {
    const sample = axis.index[first] ?? 0;
    if (axis.index[i] === sample) continue;
    spans.push({ sample, first, last: i - 1 });
    first = i;
  }
  return spans;
}

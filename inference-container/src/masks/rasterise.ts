import type { LogitGrid } from "../models/model.ts";
import { resizeAxis, spansOf, type Span } from "./axis.ts";
import { type BitMask, fillRun } from "./bit-mask.ts";

/** The logit of a probability; 0 gives -Infinity (every pixel is above it) and 1 gives Infinity (none is). */
export function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/**
 * Sets each pixel whose bilinearly resized logit is greater than the threshold's, without computing the pixels.
 *
 * Cells of the grid whose four corners lie on one side of the threshold are uniform. In any other cell a row's value
 * is left + (right − left) · fraction, monotone in x, in float64 too, as rounding keeps order. So the pixels of that
 * row switch at most once: the linear equation says where, and the pixels around are evaluated by the very same
 * expression, so that the result equals the pixel-by-pixel computation bit for bit.
 *
 * @param maskThreshold a probability, 0 to 1
 */
export function rasterise(grid: LogitGrid, width: number, height: number, maskThreshold: number): BitMask {
  const threshold = logit(maskThreshold);
  const stride = Math.ceil(width / 8);
  const bits = new Uint8Array(stride * height);
  const columns = resizeAxis(grid.width, width);
  const rows = resizeAxis(grid.height, height);
  const spans = spansOf(columns);
  let area = 0;
  for (const band of spansOf(rows)) {
    const top = band.sample * grid.width;
    const bottom = Math.min(band.sample + 1, grid.height - 1) * grid.width;
    const { inside, mixed } = classify(grid, spans, top, bottom, threshold);
    for (let y = band.first; y <= band.last; y++) {
      const offset = y * stride * 8;
      const down = rows.fraction[y] ?? 0;
      for (const run of inside) {
        fillRun(bits, offset + run.first, offset + run.last + 1);
        area += run.last + 1 - run.first;
      }
      for (const span of mixed) {
        const right = Math.min(span.sample + 1, grid.width - 1);
        const r0 = blend(grid.logits[top + span.sample], grid.logits[bottom + span.sample], down);
        const r1 = blend(grid.logits[top + right], grid.logits[bottom + right], down);
        area += fillSpan(bits, offset, span, columns.fraction, r0, r1 - r0, threshold);
      }
    }
  }
  return { width, height, stride, bits, area };
}

function blend(from = 0, to = 0, fraction = 0): number {
  return from + (to - from) * fraction;
}

interface Band {
  /** Runs of pixels that are set in each row of the band. */
  readonly inside: { first: number; last: number }[];
  /** Cells that the outline may cross. */
  readonly mixed: Span[];
}

/** Sorts the cells between two grid rows; the margin is far above what rounding two blends can add. */
function classify(grid: LogitGrid, spans: Span[], top: number, bottom: number, threshold: number): Band {
  const band: Band = { inside: [], mixed: [] };
  let run: { first: number; last: number } | undefined;
  for (const span of spans) {
    const right = Math.min(span.sample + 1, grid.width - 1);
    const a = grid.logits[top + span.sample] ?? 0;
    const b = grid.logits[bottom + span.sample] ?? 0;
    const c = grid.logits[top + right] ?? 0;
    const d = grid.logits[bottom + right] ?? 0;
    const least = Math.min(a, b, c, d);
    const most = Math.max(a, b, c, d);
    const margin = 1e-12 * Math.max(Math.abs(least), Math.abs(most));
    if (most + margin < threshold) continue;
    if (!(least - margin > threshold)) band.mixed.push(span);
    else if (run?.last === span.first - 1) run.last = span.last;
    else band.inside.push((run = { first: span.first, last: span.last }));
  }
  return band;
}

/** Sets one row's pixels of one cell; returns how many. */
function fillSpan(
  bits: Uint8Array,
  offset: number,
  span: Span,
  fraction: Float64Array,
  r0: number,
  step: number,
  threshold: number,
): number {
  const above = (x: number): boolean => r0 + step * (fraction[x] ?? 0) > threshold;
  const startsSet = above(span.first);
  const endsSet = above(span.last);
  if (!startsSet && !endsSet) return 0;
  let from = span.first;
  let to = span.last + 1;
  if (startsSet !== endsSet) {
    const start = fraction[span.first] ?? 0;
    const crossing = ((threshold - r0) / step - start) / ((fraction[span.last] ?? 0) - start);
    let turn = span.first + Math.round((crossing || 0) * (span.last - span.first));
    turn = Math.min(Math.max(turn, span.first + 1), span.last);
    while (above(turn - 1) !== startsSet) turn--;
    while (above(turn) === startsSet) turn++;
    if (startsSet) to = turn;
    else from = turn;
  }
  fillRun(bits, offset + from, offset + to);
  return to - from;
}

import { type RowRuns, RunList } from "../row-runs.ts";
import type { LogitGrid } from "./region.ts";
import { Pieces, RowSides, UNIFORM } from "./pieces.ts";

/** The logit of a probability: -Infinity for 0 (every pixel is above it) and Infinity for 1 (none is). */
function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/**
 * The pixels of a `width` × `height` mask whose bilinearly resized logit exceeds the threshold's, found without
 * computing every pixel.
 *
 * A grid cell whose four corners lie on one side of the threshold is uniform. In any other cell, a row's value is left
 * + (right − left) · fraction. It is monotone in x, in float64 too, since rounding keeps order. So the row's pixels
 * switch at most once. The linear equation says where. The pixels around are evaluated with the expression of a
 * pixel-by-pixel computation, so the result equals that computation bit for bit.
 *
 * @param maskThreshold a probability, 0 to 1
 */
export function findRuns(grid: LogitGrid, width: number, height: number, maskThreshold: number): RowRuns {
  const threshold = logit(maskThreshold);
  const columns = resizeAxis(grid.width, width);
  const rows = resizeAxis(grid.height, height);
  const runs = new RunList(height);
  const pieces = new Pieces(grid.width);
  let upper = new RowSides(grid.width);
  let lower = new RowSides(grid.width);
  for (let sample = 0; sample < grid.height; sample++) {
    const first = rows.starts[sample] ?? 0;
    const end = rows.starts[sample + 1] ?? 0;
    if (first === end) continue;
    const next = Math.min(sample + 1, grid.height - 1);
    if (lower.row === sample) [upper, lower] = [lower, upper];
    else upper.read(grid, sample, threshold);
    lower.read(grid, next, threshold);
    pieces.find(upper, lower, columns.starts);
    const band = { grid, top: sample * grid.width, bottom: next * grid.width };
    for (let y = first; y < end; y++) {
      runs.startRow(y, pieces.length);
      addRow(runs, pieces, band, rows.fraction[y] ?? 0, columns.fraction, threshold);
    }
  }
  return runs.finish(width, height);
}

/** Two rows of a grid, by the indices of their first samples. */
interface Band {
  readonly grid: LogitGrid;
  readonly top: number;
  readonly bottom: number;
}

/** Adds the runs of the row of pixels that lies at the fraction `down` between a band's upper and lower row. */
function addRow(
  runs: RunList,
  pieces: Pieces,
  { grid: { width, logits }, top, bottom }: Band,
  down: number,
  fraction: Float64Array,
  threshold: number,
): void {
  for (let i = 0; i < pieces.length; i++) {
    const left = pieces.cells[i] ?? 0;
    const from = pieces.from[i] ?? 0;
    const to = pieces.to[i] ?? 0;
    if (left === UNIFORM) {
      runs.add(from, to);
      continue;
    }
    const right = left + 1 < width ? left + 1 : left;
    const r0 = blend(logits[top + left] ?? 0, logits[bottom + left] ?? 0, down);
    const r1 = blend(logits[top + right] ?? 0, logits[bottom + right] ?? 0, down);
    const step = r1 - r0;
    const startsSet = r0 + step * (fraction[from] ?? 0) > threshold;
    const endsSet = r0 + step * (fraction[to - 1] ?? 0) > threshold;
    if (startsSet !== endsSet) {
      const turn = findTurn(r0, step, fraction, from, to - 1, startsSet, threshold);
      if (startsSet) runs.add(from, turn);
      else runs.add(turn, to);
    } else if (startsSet) runs.add(from, to);
  }
}

function blend(from: number, to: number, fraction: number): number {
  return from + (to - from) * fraction;
}

/** The first pixel after `first`, up to `last`, from which a cell's row is on the other side of the threshold. */
function findTurn(
  r0: number,
  step: number,
  fraction: Float64Array,
  first: number,
  last: number,
  startsSet: boolean,
  threshold: number,
): number {
  const start = fraction[first] ?? 0;
  const crossing = ((threshold - r0) / step - start) / ((fraction[last] ?? 0) - start);
  let turn = first + Math.round((crossing || 0) * (last - first));
  turn = Math.min(Math.max(turn, first + 1), last);
  while (r0 + step * (fraction[turn - 1] ?? 0) > threshold !== startsSet) turn--;
  while (r0 + step * (fraction[turn] ?? 0) > threshold === startsSet) turn++;
  return turn;
}

/**
 * One axis of a bilinear resize with half-pixel centers and clamped edges (torch's align_corners=false). The source
 * coordinate of output i is (i + 0.5) · from / to − 0.5, clamped to [0, from − 1]; its integer part is the index of the
 * left or upper sample, its fraction the weight of the next one. The two together never decrease in i, in floating
 * point too.
 */
interface Axis {
  /** `from + 1` indices: the outputs between a sample and the next one are [starts[sample], starts[sample + 1]). */
  readonly starts: Int32Array;
  /** The weight of the next sample for each output, at most 1 − 2^-52: values just below 1 are multiples of 2^-52. */
  readonly fraction: Float64Array;
}

/** The axis that resizes `from` samples to `to` outputs. */
function resizeAxis(from: number, to: number): Axis {
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

/** The mask threshold of videos, whose jobs set none: a pixel is set if it is more likely inside than outside. */
export const CLIP_MASK_THRESHOLD = 0.5;

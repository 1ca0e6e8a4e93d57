import type { LogitGrid } from "../models/model.ts";
import { resizeAxis, spansOf, type Span } from "./axis.ts";

/** A mask at the picture's size as its rows' runs of set pixels: what its outline takes, however large it is. */
export interface RowRuns {
  readonly width: number;
  readonly height: number;
  /** `height + 1` places in `edges`: row y's runs stand from `starts[y]` up to `starts[y + 1]`. */
  readonly starts: Int32Array;
  /** For each run its first pixel and the one after its last; a row's runs ascend and never touch. */
  readonly edges: Int32Array;
  /** How many pixels are set. */
  readonly area: number;
}

/** The logit of a probability; 0 gives -Infinity (every pixel is above it) and 1 gives Infinity (none is). */
function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/**
 * The pixels whose bilinearly resized logit is greater than the threshold's, without computing the pixels.
 *
 * Cells of the grid whose four corners lie on one side of the threshold are uniform. In any other cell a row's value
 * is left + (right − left) · fraction, monotone in x, in float64 too, as rounding keeps order. So the pixels of that
 * row switch at most once: the linear equation says where, and the pixels around are evaluated by the very same
 * expression, so that the result equals the pixel-by-pixel computation bit for bit.
 *
 * @param maskThreshold a probability, 0 to 1
 */
export function findRuns(grid: LogitGrid, width: number, height: number, maskThreshold: number): RowRuns {
  const threshold = logit(maskThreshold);
  const columns = resizeAxis(grid.width, width);
  const rows = resizeAxis(grid.height, height);
  const spans = spansOf(columns);
  const reach = reachOf(grid, threshold);
  const runs = new RunList(height);
  for (const band of spansOf(rows)) {
    const lower = Math.min(band.sample + 1, grid.height - 1);
    const top = band.sample * grid.width;
    const bottom = lower * grid.width;
    // A cell lies between a sample and the next one, so it may be set from the sample before the first on.
    const from = Math.min(reach.first[band.sample] ?? 0, reach.first[lower] ?? 0) - 1;
    const to = Math.max(reach.last[band.sample] ?? 0, reach.last[lower] ?? 0);
    const cells = spans.slice(placeOf(spans, from), placeOf(spans, to + 1));
    const pieces = classify(grid, cells, top, bottom, threshold);
    for (let y = band.first; y <= band.last; y++) {
      runs.startRow(y, pieces.length);
      const down = rows.fraction[y] ?? 0;
      for (const { mixed, first, last } of pieces) {
        if (mixed === undefined) {
          runs.add(first, last + 1);
          continue;
        }
        const right = Math.min(mixed.sample + 1, grid.width - 1);
        const r0 = blend(grid.logits[top + mixed.sample], grid.logits[bottom + mixed.sample], down);
        const r1 = blend(grid.logits[top + right], grid.logits[bottom + right], down);
        solve(runs, mixed, columns.fraction, r0, r1 - r0, threshold);
      }
    }
  }
  return runs.finish(width, height);
}

/** The place of the first span of a sample or of one after it. */
function placeOf(spans: readonly Span[], sample: number): number {
  let place = Math.min(Math.max(sample, 0), spans.length);
  while (place > 0 && (spans[place - 1]?.sample ?? 0) >= sample) place--;
  return place;
}

function blend(from = 0, to = 0, fraction = 0): number {
  return from + (to - from) * fraction;
}

/**
 * The first and the last sample of each grid row that isn't clearly below the threshold, by a margin far above what
 * rounding blends of any samples can add; last < first where there is none. Most objects fill little of their grid.
 */
function reachOf(
  { width, height, logits }: LogitGrid,
  threshold: number,
): { first: Int32Array; last: Int32Array } {
  let most = 0;
  for (let i = 0; i < logits.length; i++) most = Math.max(most, Math.abs(logits[i] ?? 0));
  const margin = 1e-12 * most;
  const first = new Int32Array(height);
  const last = new Int32Array(height);
  for (let row = 0; row < height; row++) {
    let from = 0;
    let to = width - 1;
    while (from < width && (logits[row * width + from] ?? 0) + margin < threshold) from++;
    while (to > from && (logits[row * width + to] ?? 0) + margin < threshold) to--;
    first[row] = from;
    last[row] = from < width ? to : -1;
  }
  return { first, last };
}

/** Pixels [first, last] of each row between two grid rows: all set, or of a cell that the outline may cross. */
interface Piece {
  readonly first: number;
  last: number;
  readonly mixed?: Span;
}

/** Sorts the cells between two grid rows; the margin is far above what rounding two blends can add. */
function classify(
  grid: LogitGrid,
  spans: readonly Span[],
  top: number,
  bottom: number,
  threshold: number,
): Piece[] {
  const pieces: Piece[] = [];
  let run: Piece | undefined;
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
    if (!(least - margin > threshold)) pieces.push({ first: span.first, last: span.last, mixed: span });
    else if (run?.last === span.first - 1) run.last = span.last;
    else pieces.push((run = { first: span.first, last: span.last }));
  }
  return pieces;
}

/** Adds one row's set pixels of one cell. */
function solve(
  runs: RunList,
  { first, last }: Span,
  fraction: Float64Array,
  r0: number,
  step: number,
  threshold: number,
): void {
  const above = (x: number): boolean => r0 + step * (fraction[x] ?? 0) > threshold;
  const startsSet = above(first);
  const endsSet = above(last);
  if (startsSet === endsSet) {
    if (startsSet) runs.add(first, last + 1);
    return;
  }
  const start = fraction[first] ?? 0;
  const crossing = ((threshold - r0) / step - start) / ((fraction[last] ?? 0) - start);
  let turn = first + Math.round((crossing || 0) * (last - first));
  turn = Math.min(Math.max(turn, first + 1), last);
  while (above(turn - 1) !== startsSet) turn--;
  while (above(turn) === startsSet) turn++;
  if (startsSet) runs.add(first, turn);
  else runs.add(turn, last + 1);
}

/** Collects rows of runs in order; runs that touch become one. */
class RunList {
  readonly #starts: Int32Array;
  #edges = new Int32Array(1024);
  #rowStart = 0;
  #length = 0;
  #area = 0;

  constructor(height: number) {
    this.#starts = new Int32Array(height + 1);
  }

  /** Rows are started in order; `most` is how many runs will be added to this one at most. */
  startRow(y: number, most: number): void {
    this.#starts[y] = this.#rowStart = this.#length;
    const needed = this.#length + 2 * most;
    if (needed <= this.#edges.length) return;
    const larger = new Int32Array(needed * 2);
    larger.set(this.#edges);
    this.#edges = larger;
  }

  add(from: number, to: number): void {
    this.#area += to - from;
    if (this.#length > this.#rowStart && this.#edges[this.#length - 1] === from) {
      this.#edges[this.#length - 1] = to;
      return;
    }
    this.#edges[this.#length++] = from;
    this.#edges[this.#length++] = to;
  }

  finish(width: number, height: number): RowRuns {
    this.#starts[height] = this.#length;
    const edges = this.#edges.slice(0, this.#length);
    return { width, height, starts: this.#starts, edges, area: this.#area };
  }
}

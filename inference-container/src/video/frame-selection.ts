/** Ticks per second of the times that identify frames: finer than any frame rate, coarse enough for short numbers. */
export const TICKS = 10_000;

/** Intervals per leaf of the tree: this gives the shortest text for thousands of them. */
const LEAF = 8;

/** As many as fit into one argument of a command, which Linux limits to 128 KB. */
const MOST_INTERVALS = 4_000;

/** From and to, in ticks, both inclusive. */
type Interval = readonly [from: number, to: number];

/**
 * An expression of FFmpeg's filter language that is true for the planned frames of a clip; for others only if the plan
 * has more than 4,000 frames apart from each other. It takes a frame for the one whose time is nearest, so that it finds
 * its frames even if a decoder dropped others. It keeps no state, because FFmpeg would lose it when a clip changes
 * its resolution. The time base of its input must be 1/TICKS.
 *
 * It is a binary tree over intervals of time (https://ffmpeg.org/ffmpeg-utils.html#Expression-Evaluation).
 *
 * @param times presentation times in seconds, ascending @param indexes into them, ascending, at least one
 */
export function frameSelection(times: Float64Array, indexes: readonly number[]): string {
  return tree(joined(intervals(times, indexes)));
}

/**
 * As `frameSelection`, for a pass that begins in the middle of a clip. If all is well, the first frame is the pass's key
 * frame, and those wanted follow. If the decoder begins too early or not with a key frame, or lacks a wanted frame,
 * the expression lets another frame through, which shows it.
 */
export function passSelection(times: Float64Array, { indexes, key, after }: Pass): string {
  const rest = indexes.filter((index) => index !== key);
  return [
    ...(after < 0 ? [] : [`lt(pts,${begin(times, after + 1)})`]),
    ...(key === null ? [] : [`key*between(pts,${begin(times, key)},${begin(times, key + 1) - 1})`]),
    ...(rest.length === 0 ? [] : [frameSelection(times, rest)]),
    `gte(pts,${begin(times, (indexes.at(-1) ?? -1) + 1)})`,
  ].join("+");
}

/** The index of the time that is nearest to `ticks`; of two equally near ones, the later. */
export function nearestFrame(times: Float64Array, ticks: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (begin(times, middle) <= ticks) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first tick to which a frame is the nearest. */
function begin(times: Float64Array, index: number): number {
  if (index <= 0) return -1e9;
  if (index >= times.length) return 1e9;
  return Math.ceil((((times[index - 1] ?? 0) + (times[index] ?? 0)) / 2) * TICKS);
}

function intervals(times: Float64Array, indexes: readonly number[]): Interval[] {
  const found: [number, number][] = [];
  for (const index of indexes) {
    const [from, to] = [begin(times, index), begin(times, index + 1) - 1];
    const last = found.at(-1);
    if (last !== undefined && last[1] + 1 >= from) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

/** At most as many intervals as fit: neighbours are joined, with what lies between them. */
function joined(all: readonly Interval[]): readonly Interval[] {
  const together = Math.ceil(all.length / MOST_INTERVALS);
  return Array.from({ length: Math.ceil(all.length / together) }, (_, at) => {
    const group = all.slice(at * together, (at + 1) * together);
    return [group[0]?.[0] ?? 0, group.at(-1)?.[1] ?? 0];
  });
}

function tree(wanted: readonly Interval[]): string {
  if (wanted.length <= LEAF) return wanted.map(([from, to]) => `between(pts,${from},${to})`).join("+");
  const half = wanted.length >> 1;
  return `if(lt(pts,${wanted[half]?.[0] ?? 0}),${tree(wanted.slice(0, half))},${tree(wanted.slice(half))})`;
}

/**
 * FFmpeg starts again behind a gap if that saves it this many frames: opening a clip takes about as long as decoding
 * so many frames of 1080p.
 */
const LEAST_SPARED = 100;

/** A part of a clip that one FFmpeg decodes. */
export interface Pass {
  /** The frames wanted from it, ascending. */
  readonly indexes: readonly number[];
  /** The key frame at which it begins; null if it begins where the file does. */
  readonly key: number | null;
  /** A time in seconds from which FFmpeg finds that key frame: a fourth of the way to the next, as it rounds either way. */
  readonly seconds: number;
  /** The last frame wanted from the passes before; -1 for the first pass. */
  readonly after: number;
}

/**
 * Divides the decoding of the wanted frames into passes: a frame far after the previous one is decoded
 * from its own key frame, and the frames between are not decoded at all. Empty if that saves nothing.
 *
 * @param times presentation times in seconds, ascending @param keys the key frames, as indexes into them, ascending
 * @param indexes the wanted frames, likewise
 */
export function planPasses(times: Float64Array, keys: readonly number[], indexes: readonly number[]): Pass[] {
  const passes: (Pass & { readonly indexes: number[] })[] = [];
  let after = -1;
  let at = -1;
  for (const index of indexes) {
    while ((keys[at + 1] ?? Infinity) <= index) at++;
    const key = keys[at] ?? -1;
    const far = key - after > LEAST_SPARED;
    if (far) {
      const next = times[keys[at + 1] ?? times.length - 1] ?? 0;
      passes.push({ indexes: [], key, seconds: (3 * (times[key] ?? 0) + next) / 4, after });
    } else if (passes.length === 0) passes.push({ indexes: [], key: null, seconds: 0, after });
    passes.at(-1)?.indexes.push(index);
    after = index;
  }
  return passes.length === 1 && passes[0]?.key === null ? [] : passes;
}

/** Intervals per leaf of the tree: this gives the shortest text for thousands of them. */
const LEAF = 8;

/** As many as fit into one argument of a command, which Linux limits to 128 KB. */
const MOST_INTERVALS = 4_000;

/** From and to, both inclusive. */
type Interval = readonly [from: number, to: number];

/**
 * An expression of FFmpeg's filter language that is true for the planned frames of a video, which it counts. Only if the
 * plan has more than 4,000 separate intervals, it is true for other frames too.
 *
 * It is a binary tree over intervals (https://ffmpeg.org/ffmpeg-utils.html#Expression-Evaluation).
 *
 * @param indexes ascending, at least one
 */
export function frameSelection(indexes: readonly number[]): string {
  const found: [number, number][] = [];
  for (const index of indexes) {
    const last = found.at(-1);
    if (last !== undefined && last[1] + 1 >= index) last[1] = index;
    else found.push([index, index]);
  }
  return tree("n", joined(found));
}

/**
 * As `frameSelection`, for a pass that begins in the middle of a video, where only times identify a frame. Normally the
 * first frame is the pass's key frame, and the wanted frames follow. A decoder may begin too early or not with a key
 * frame, or lack a wanted frame. The expression then lets another frame through, which shows the fault.
 *
 * @param stamps presentation times in ticks of the file, ascending and distinct
 */
export function passSelection(stamps: Float64Array, { indexes, key, after }: Pass): string {
  const at = (index: number): number => stamps[index] ?? NaN;
  const rest = indexes.filter((index) => index !== key);
  return [
    ...(after < 0 ? [] : [`lte(pts,${at(after)})`]),
    ...(key === null ? [] : [`key*eq(pts,${at(key)})`]),
    ...(rest.length === 0 ? [] : [tree("pts", joined(rest.map((index) => [at(index), at(index)])))]),
    `gt(pts,${at(indexes.at(-1) ?? 0)})`,
  ].join("+");
}

/** The index of a stamp; -1 if it is not one of them. @param stamps ascending and distinct */
export function frameAt(stamps: Float64Array, stamp: number): number {
  let [low, high] = [0, stamps.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stamps[middle] ?? 0) <= stamp) low = middle;
    else high = middle - 1;
  }
  return stamps[low] === stamp ? low : -1;
}

/** Joins neighboring intervals, with the frames between them, until they fit. */
function joined(all: readonly Interval[]): readonly Interval[] {
  const together = Math.ceil(all.length / MOST_INTERVALS);
  return Array.from({ length: Math.ceil(all.length / together) }, (_, at) => {
    const group = all.slice(at * together, (at + 1) * together);
    return [group[0]?.[0] ?? 0, group.at(-1)?.[1] ?? 0];
  });
}

function tree(name: "n" | "pts", wanted: readonly Interval[]): string {
  if (wanted.length <= LEAF) return wanted.map(([from, to]) => `between(${name},${from},${to})`).join("+");
  const half = wanted.length >> 1;
  const [before, after] = [tree(name, wanted.slice(0, half)), tree(name, wanted.slice(half))];
  return `if(lt(${name},${wanted[half]?.[0] ?? 0}),${before},${after})`;
}

/**
 * FFmpeg starts again behind a gap if that saves it this many frames: opening a video takes about as long as decoding
 * so many frames of 1080p.
 */
const LEAST_SPARED = 100;

/** A part of a video that one FFmpeg decodes. */
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

/**
 * FFmpeg starts again behind a gap if that spares it this many frames: opening a clip takes about as long as decoding so many
 * frames of 1080p.
 */
const LEAST_SPARED = 100;

/** A part of a clip that is decoded in one go. */
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
 * Cuts the decoding of the wanted frames into passes: a frame that lies far behind the one before it is decoded from its own
 * key frame on, and what lies between is not decoded at all. Empty if nothing is spared so.
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

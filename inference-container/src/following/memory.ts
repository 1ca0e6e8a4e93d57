/** Memory of an object: the cells of a few frames. Its size does not grow with the video. */
import type { CellAppearance, KnownCells, PictureAppearance } from "../models/model.ts";

/** An object in a frame, and its surroundings. */
export interface Remembered {
  readonly timeSec: number;
  /** The certainty that this is the object, 0 to 1. */
  readonly sureness: number;
  readonly known: KnownCells;
}

/** The most cells of a frame to remember; of a large object every second or third. */
const MOST_CELLS = 1_024;

/** The voting frames: the first, the last, and of the others the surest. */
const MOST_SURE = 3;

/** The least distance in time, in seconds, between the surest frames: similar frames add nothing. */
const APART_SECONDS = 0.4;

/**
 * The cells of a frame within a window around an object.
 * @param inside the share of each cell that the object covers
 */
export function glimpse(picture: PictureAppearance, window: Float32Array, inside: Float32Array): KnownCells {
  const cells = cellsWithin(window);
  const step = Math.max(1, Math.ceil(cells.length / MOST_CELLS));
  const kept = cells.filter((_, at) => at % step === 0);
  return { ...appearanceOf(picture, kept), inside: Float32Array.from(kept, (cell) => inside[cell] ?? 0) };
}

/** The indexes of a window's cells with a value. */
export const cellsWithin = (window: Float32Array): number[] =>
  [...window.keys()].filter((cell) => (window[cell] ?? 0) > 0);

/** The appearance of some cells of a picture, in their order. */
export function appearanceOf(
  { channels, appearance }: CellAppearance,
  cells: readonly number[],
): CellAppearance {
  const own = new Float32Array(cells.length * channels);
  for (const [at, cell] of cells.entries())
    own.set(appearance.subarray(cell * channels, (cell + 1) * channels), at * channels);
  return { channels, appearance: own };
}

export class Memory {
  readonly #first: Remembered;
  #sure: readonly Remembered[] = [];
  #last: Remembered | undefined;

  /** @param first the frame in which a region marks the object */
  constructor(first: Remembered) {
    this.#first = first;
  }

  /** Remembers the object from the latest frame. */
  add(seen: Remembered): void {
    if (this.#last !== undefined) this.#sure = surest([...this.#sure, this.#last]);
    this.#last = seen;
  }

  /** The frames whose cells vote. */
  get frames(): readonly Remembered[] {
    return [this.#first, ...this.#sure, ...(this.#last === undefined ? [] : [this.#last])];
  }

  /** All voting cells together. */
  get known(): KnownCells {
    const voting = this.frames.map(({ known }) => known);
    return {
      channels: voting[0]?.channels ?? 0,
      appearance: joined(voting.map(({ appearance }) => appearance)),
      inside: joined(voting.map(({ inside }) => inside)),
    };
  }
}

/** The surest frames in the order of time, at least `APART_SECONDS` apart. */
function surest(frames: readonly Remembered[]): Remembered[] {
  const kept: Remembered[] = [];
  for (const frame of frames.toSorted((a, b) => b.sureness - a.sureness || b.timeSec - a.timeSec))
    if (kept.every(({ timeSec }) => Math.abs(timeSec - frame.timeSec) >= APART_SECONDS)) kept.push(frame);
  return kept.slice(0, MOST_SURE);
}

function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

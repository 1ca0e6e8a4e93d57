/** What is remembered of an object: cells of a few frames, so much in all as never grows with the clip. */
import type { CellAppearance, KnownCells, PictureAppearance } from "../models/model.ts";

/** An object in a frame, and what lies around it. */
export interface Remembered {
  readonly timeSec: number;
  /** How sure it is that this is the object, 0 to 1. */
  readonly sureness: number;
  readonly known: KnownCells;
}

/** The most cells that are remembered of a frame: of a large object every second or third. */
const MOST_CELLS = 1_024;

/** The frame in which the object was pointed at votes, the last one, and of the others the surest. */
const MOST_SURE = 3;

/** A frame is remembered for its sureness if no such frame lies nearer in time, in seconds: frames that are alike add nothing. */
const APART_SECONDS = 0.4;

/** What a frame shows of an object within a window around it. @param inside of each cell, how much of it the object has */
export function glimpse(picture: PictureAppearance, window: Float32Array, inside: Float32Array): KnownCells {
  const cells = cellsWithin(window);
  const step = Math.max(1, Math.ceil(cells.length / MOST_CELLS));
  const kept = cells.filter((_, at) => at % step === 0);
  return { ...appearanceOf(picture, kept), inside: Float32Array.from(kept, (cell) => inside[cell] ?? 0) };
}

/** The cells of which a window has something. */
export const cellsWithin = (window: Float32Array): number[] =>
  [...window.keys()].filter((cell) => (window[cell] ?? 0) > 0);

/** What some cells of a picture look like, in their order. */
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

  /** @param first the frame in which the object was pointed at */
  constructor(first: Remembered) {
    this.#first = first;
  }

  /** Remembers the object as it was found in the latest frame. */
  add(seen: Remembered): void {
    if (this.#last !== undefined) this.#sure = surest([...this.#sure, this.#last]);
    this.#last = seen;
  }

  /** The frames whose cells vote. */
  get frames(): readonly Remembered[] {
    return [this.#first, ...this.#sure, ...(this.#last === undefined ? [] : [this.#last])];
  }

  /** All cells that vote, as one. */
  get known(): KnownCells {
    const voting = this.frames.map(({ known }) => known);
    return {
      channels: voting[0]?.channels ?? 0,
      appearance: joined(voting.map(({ appearance }) => appearance)),
      inside: joined(voting.map(({ inside }) => inside)),
    };
  }
}

/** The surest of frames by time, none too near to one that is surer. */
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

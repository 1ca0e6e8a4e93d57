/**
 * Filters that make FFmpeg announce each passing frame on file descriptor 3: `frame:… pts:… pts_time:…` in the time
 * base of the filters, then `key=1` (https://ffmpeg.org/ffmpeg-filters.html#metadata_002c-ametadata).
 */
export const announceFrames = (key: "decoded" | "selected"): string =>
  `metadata=add:key=${key}:value=1,metadata=print:key=${key}:file='pipe\\:3':direct=1`;

/** A selected frame. */
export interface Announced {
  /** The number of decoded frames before it. */
  readonly place: number;
  /** Its presentation time in the filters' time base. */
  readonly pts: number;
}

/** Reads announcements of decoded and of selected frames. A frame is announced before its pixels come, but on another pipe. */
export class AnnouncedFrames {
  readonly #onDecoded: (frame: Announced) => void;
  readonly #known: Announced[] = [];
  #waiting: ((frame: Announced | null) => void) | null = null;
  #ended = false;
  #rest = "";
  #pts = 0;
  #decoded = 0;

  /** @param onDecoded receives each decoded frame, in their order */
  constructor(onDecoded: (frame: Announced) => void) {
    this.#onDecoded = onDecoded;
  }

  /** Takes announced text; null is its end. */
  readonly hear = (text: string | null): void => {
    this.#ended ||= text === null;
    const lines = (this.#rest + (text ?? "")).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const stamp = /^frame:.* pts:(-?\d+)/.exec(line);
      if (stamp !== null) this.#pts = Number(stamp[1]);
      else if (line.startsWith("decoded=")) this.#onDecoded({ place: this.#decoded++, pts: this.#pts });
      else if (line.startsWith("selected=")) this.#known.push({ place: this.#decoded - 1, pts: this.#pts });
    }
    this.#serve();
  };

  /** The next selected frame; null if there are no more. */
  next(): Promise<Announced | null> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  #serve(): void {
    if (this.#waiting === null || (this.#known.length === 0 && !this.#ended)) return;
    this.#waiting(this.#known.shift() ?? null);
    this.#waiting = null;
  }
}

/** Cuts a stream of bytes into frames of `length` bytes, each in a separate buffer; drops an unfinished last one. */
export async function* toFrames(
  pieces: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let frame = new Uint8Array(length);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < length) continue;
      yield frame;
      frame = new Uint8Array(length);
      filled = 0;
    }
  }
}

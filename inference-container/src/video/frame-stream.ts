/**
 * Filters that make FFmpeg announce each passing frame on file descriptor 3: `frame:… pts:… pts_time:…` in the time
 * base of the filters, then `key=1` (https://ffmpeg.org/ffmpeg-filters.html#metadata_002c-ametadata).
 */
export const announceFrames = (key: string): string =>
  `metadata=add:key=${key}:value=1,metadata=print:key=${key}:file='pipe\\:3':direct=1`;

/** Reads what `announceFrames` writes. A frame is announced before its pixels come, but on another pipe. */
export class AnnouncedFrames {
  readonly #key: string;
  readonly #known: number[] = [];
  #waiting: ((pts: number | null) => void) | null = null;
  #ended = false;
  #rest = "";
  #pts = 0;

  /** @param key of the announcements to read */
  constructor(key: string) {
    this.#key = key;
  }

  /** Takes announced text; null is its end. */
  readonly hear = (text: string | null): void => {
    this.#ended ||= text === null;
    const lines = (this.#rest + (text ?? "")).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const stamp = /^frame:.* pts:(-?\d+)/.exec(line);
      if (stamp !== null) this.#pts = Number(stamp[1]);
      else if (line.startsWith(`${this.#key}=`)) this.#known.push(this.#pts);
    }
    this.#serve();
  };

  /** The presentation time of the next frame, in the filters' time base; null if there are no more. */
  next(): Promise<number | null> {
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

/** Cuts a stream of bytes into frames of `length` bytes, each in memory of its own; an unfinished last one is dropped. */
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

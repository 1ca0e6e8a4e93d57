import { taskFailure } from "../failures.ts";
import type { ClipInput } from "./input-arguments.ts";
import { type Listing, listTimes } from "./list-times.ts";

/** The share of a video's frames that must be readable, of all and of those to process. */
export const LEAST_SHARE = 0.5;

/**
 * The frames of a video, numbered in a decoder's order. The order comes from the packets until all frames are decoded:
 * where a packet might be no frame, or as soon as decoded frames differ from the list.
 */
export class FrameList {
  readonly #input: ClipInput;
  readonly #seconds: number;
  readonly #packets: Listing;
  #frames: Listing | null = null;
  #lost = 0;

  /** @param seconds the longest time between the first frame and the last */
  constructor(input: ClipInput, seconds: number, packets: Listing) {
    this.#input = input;
    this.#seconds = seconds;
    this.#packets = packets;
  }

  /** True if all frames were decoded once, so that no packet counts as a frame. */
  get isDecoded(): boolean {
    return this.#frames !== null;
  }

  /** Presentation times as a decoder gives them, in ticks of the file; they don't descend. */
  get stamps(): Float64Array {
    return (this.#frames ?? this.#packets).stamps;
  }

  /** The number of frames that could not be decoded, after all were tried. */
  get lost(): number {
    return this.#lost;
  }

  /** Presentation times in seconds, as players show them. */
  times(): Float64Array {
    const { tick, first, start } = this.#clock();
    return this.stamps.map((stamp) => (stamp - first + start) * tick);
  }

  /** The end of the last frame, in seconds. Of a single frame it may be unknown; then it is the beginning. */
  get end(): number {
    const { stamps, end, tick, isTimed } = this.#packets;
    const { first, start } = this.#clock();
    const times = this.times();
    const last = times.at(-1) ?? 0;
    const gap = (last - (times[0] ?? 0)) / Math.max(times.length - 1, 1);
    return Math.max((end - (isTimed ? first : (stamps[0] ?? 0)) + start) * tick, last + gap);
  }

  /** The frames at which decoding can begin, as the file declares; none if a time does not name one frame. */
  keys(): number[] {
    const { stamps } = this;
    const { first, start } = this.#clock();
    const isPlace = this.#packets.isTimed && first === start;
    if (!isPlace || stamps.some((stamp, at) => stamp === stamps[at - 1])) return [];
    return [...stamps.keys()].filter((at) => this.#packets.keys.has(stamps[at] ?? NaN));
  }

  /**
   * Lists the frames by decoding all of them, once.
   * @throws TaskFailure named video_unreadable if less than half of them can be decoded; as `listTimes`
   */
  async decode(ffmpeg: string, codec: string, signal: AbortSignal): Promise<void> {
    if (this.#frames !== null) return;
    const frames = await listTimes(ffmpeg, this.#input, this.#seconds, signal, true);
    const count = frames.stamps.length;
    // The decoder of H.265 leaves out a damaged frame without a word, but never another after its first.
    const after = this.#packets.stamps.filter((stamp) => stamp >= (frames.stamps[0] ?? 0)).length;
    const lost = Math.max(frames.refused, codec === "hevc" ? after - count : 0);
    if (count < LEAST_SHARE * (count + lost))
      throw taskFailure("video_unreadable", {
        reason: `it is damaged, and only ${count} of its ${count + lost} frames can be decoded`,
      });
    this.#frames = frames;
    this.#lost = lost;
  }

  /**
   * The first frame's time, in ticks, for a decoder and for players: none begins before 0. Without presentation times,
   * a decoder's are late by its delay: the first frame comes with the first packet.
   */
  #clock(): { tick: number; first: number; start: number } {
    const { tick, isTimed, stamps } = this.#packets;
    const first = this.stamps[0] ?? 0;
    return { tick, first, start: Math.max(0, isTimed ? first : (stamps[0] ?? 0)) };
  }
}

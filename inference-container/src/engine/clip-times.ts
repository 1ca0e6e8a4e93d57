import type { Usage } from "../device/usage.ts";
import type { VideoResult } from "../messages.ts";

/** Time of a video by stage. Waiting for other work on the device counts toward no stage. */
export class ClipTimes {
  readonly ms: VideoResult["ms"] = { decode: 0, infer: 0, post: 0, encode: 0 };
  readonly #usage: Usage;
  #since = performance.now();
  #waitedMs = 0;
  #stoodMs = 0;

  /** @param usage the video's use of the device */
  constructor(usage: Usage) {
    this.#usage = usage;
  }

  /** Counts `ms` milliseconds of the wait for results as decoding, because no frame was decoded yet. */
  stood(ms: number): void {
    this.#stoodMs += ms;
  }

  /** Adds the time since the last lap to this stage; `infer` is the wait for the model's results. */
  lap(stage: keyof VideoResult["ms"]): void {
    const now = performance.now();
    const { waitedMs } = this.#usage;
    const others = waitedMs - this.#waitedMs;
    const stood = this.#stoodMs;
    this.ms[stage] += now - this.#since - stood - (stage === "infer" ? others : 0);
    this.ms.decode += stood;
    this.#since = now;
    this.#waitedMs = waitedMs;
    this.#stoodMs = 0;
  }
}

import type { ShownMasks, Stage } from "../stage/stage.ts";

/** Brings a clip's frames and their masks onto a stage together: a frame is not seen before its masks are there. */
export class FramePairing {
  readonly #stage: Stage;
  readonly #video: HTMLVideoElement;
  readonly #masksAt: (seconds: number) => ShownMasks | null;
  #isWaiting = false;
  /** The time of the latest frame that came while another waited for its masks. */
  #next: number | null = null;

  /** `masksAt` tells the masks of the frame at a time; null if they are those of the frame before. */
  constructor(stage: Stage, video: HTMLVideoElement, masksAt: (seconds: number) => ShownMasks | null) {
    this.#stage = stage;
    this.#video = video;
    this.#masksAt = masksAt;
  }

  /** Takes the frame that the video presents now. While another waits, it is left out, unless no other comes after it. */
  present(seconds: number): void {
    if (this.#isWaiting) {
      this.#next = seconds;
      return;
    }
    const masks = this.#masksAt(seconds);
    if (masks !== null) {
      this.#isWaiting = true;
      this.#stage.hold(true);
      this.#stage.show(masks);
    }
    this.#stage.picture(this.#video);
  }

  /** All masks that were asked for are on the stage. */
  release(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#stage.hold(false);
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.present(next);
  }
}

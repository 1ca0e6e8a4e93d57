import { computed, signal } from "@preact/signals";
import { shownAt, stepFrom } from "./time.ts";

/** How fast a clip can be played. */
export const RATES = [0.25, 0.5, 1, 2] as const;

/** A clip that is played: where it is, how fast it goes. Without a video one steps through its processed frames all the same. */
export class Playback {
  readonly seconds = signal(0);
  readonly isPlaying = signal(false);
  readonly rate = signal(1);
  /** Whether there is a video to play. */
  readonly canPlay = signal(false);
  /** The times of the processed frames, in seconds. */
  readonly times = signal<readonly number[]>([]);
  /** The clip's length in seconds, as far as it is known. */
  readonly duration = computed(() => Math.max(this.#length.value, this.times.value.at(-1) ?? 0));
  /** The place of the processed frame that is shown, -1 if there is none. */
  readonly shown = computed(() => shownAt(this.times.value, this.seconds.value));
  readonly #length = signal(0);
  #video: HTMLVideoElement | null = null;

  /** Follows a video from now on. Returns what ends that. */
  attach(video: HTMLVideoElement): () => void {
    const controller = new AbortController();
    const { signal: ended } = controller;
    this.#video = video;
    this.canPlay.value = true;
    const listen = (name: string, act: () => void): void =>
      video.addEventListener(name, act, { signal: ended });
    const tell = (): void => {
      this.isPlaying.value = !video.paused;
    };
    for (const name of ["play", "pause", "ended"]) listen(name, tell);
    listen("loadedmetadata", () => {
      this.#length.value = Number.isFinite(video.duration) ? video.duration : 0;
      video.playbackRate = this.rate.value;
      video.currentTime = this.seconds.value;
    });
    // What is on the screen counts, not what the clock says; but on the way to another place, that place does.
    const onFrame: VideoFrameRequestCallback = (_, { mediaTime }) => {
      if (ended.aborted) return;
      if (!video.seeking) this.seconds.value = mediaTime;
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
    return () => {
      controller.abort();
      this.#video = null;
      this.canPlay.value = false;
      this.isPlaying.value = false;
    };
  }

  toggle(): void {
    if (this.#video === null) return;
    // A browser that refuses to play says so by its event.
    if (this.#video.paused) void this.#video.play().catch(() => undefined);
    else this.#video.pause();
  }

  seek(seconds: number): void {
    const to = Math.min(Math.max(0, seconds), this.duration.value);
    this.seconds.value = to;
    // In the middle of a frame, rounding leads to no other one.
    if (this.#video !== null) this.#video.currentTime = to + 0.001;
  }

  /** Goes to the next processed frame, or to the one before. */
  step(by: 1 | -1): void {
    this.#video?.pause();
    this.seek(stepFrom(this.times.value, this.seconds.value, by));
  }

  speed(rate: number): void {
    this.rate.value = rate;
    if (this.#video !== null) this.#video.playbackRate = rate;
  }
}

import { computed, signal } from "@preact/signals";
import { followFrames } from "../viewer/clip/frames.ts";
import type { Size } from "../viewer/types.ts";
import { nearestTo, shownAt, stepFrom } from "./time.ts";

/** Playback rates of a video. */
export const RATES = [0.25, 0.5, 1, 2] as const;

/** Behind a frame's beginning, so that rounding doesn't lead to the frame before. Files round to milliseconds. */
export const WITHIN_SEC = 0.001;

/** Playback of a video: its position and its rate. Without the file, people can still step through its processed frames. */
export class Playback {
  readonly seconds = signal(0);
  readonly isPlaying = signal(false);
  readonly rate = signal(1);
  /** True if there is a video to play. */
  readonly canPlay = signal(false);
  /** True if the browser can't play the file. */
  readonly isUnplayable = signal(false);
  /** The video's shown size in pixels; null until it is known. */
  readonly size = signal<Size | null>(null);
  /** The video's length in seconds; 0 until it is known. */
  readonly length = signal(0);
  /** The time of the video's first frame, in seconds of its clock: in a part of a recording, not at 0. */
  readonly begin = signal(0);
  /** The times of the processed frames, in seconds. */
  readonly times = signal<readonly number[]>([]);
  /** The video's length in seconds, if known. */
  readonly duration = computed(() => Math.max(this.length.value, this.times.value.at(-1) ?? 0));
  /** The place of the processed frame that is shown, -1 if there is none. */
  readonly shown = computed(() => shownAt(this.times.value, this.seconds.value));
  /** True if a person moved to this place, and the video has not played since. */
  #isChosen = true;
  /** True if the video was played to its end, and not moved since. */
  #hasEnded = false;
  #video: HTMLVideoElement | null = null;

  /** Follows a video from now on. Returns a function that ends it. */
  attach(video: HTMLVideoElement): () => void {
    const controller = new AbortController();
    const { signal: ended } = controller;
    this.#video = video;
    this.canPlay.value = true;
    const listen = (name: string, act: () => void): void =>
      video.addEventListener(name, act, { signal: ended });
    const note = () => (this.isPlaying.value = !video.paused);
    for (const name of ["play", "pause", "ended"]) listen(name, note);
    listen("ended", () => (this.#hasEnded = true));
    for (const name of ["play", "seeked"])
      listen(name, () => {
        if (!video.paused && !video.seeking) this.#isChosen = false;
      });
    listen("error", () => (this.isUnplayable.value = true));
    listen("loadedmetadata", () => {
      this.length.value = Number.isFinite(video.duration) ? video.duration : 0;
      this.size.value = { width: video.videoWidth, height: video.videoHeight };
      video.playbackRate = this.rate.value;
      this.#go();
    });
    // During playback, the frame on the screen counts, not the clock. Frames that come after a person went
    // elsewhere may be of the place before.
    let isFirst = this.seconds.value === 0;
    const unfollow = followFrames(video, (seconds) => {
      if (!this.#isChosen) this.seconds.value = seconds;
      if (isFirst) this.begin.value = seconds > WITHIN_SEC ? seconds : 0;
      isFirst = false;
    });
    return () => {
      controller.abort();
      unfollow();
      this.#video = null;
      this.#isChosen = true;
      this.canPlay.value = false;
      this.isPlaying.value = false;
    };
  }

  /** Returns the frame that is shown, in the video's own size; null if there is none. */
  async frame(): Promise<Blob | null> {
    const video = this.#video;
    const { value: size } = this.size;
    if (video === null || size === null || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return null;
    const canvas = new OffscreenCanvas(size.width, size.height);
    canvas.getContext("2d")?.drawImage(video, 0, 0, size.width, size.height);
    return await canvas.convertToBlob();
  }

  toggle(): void {
    if (this.#video === null) return;
    if (this.#hasEnded) this.seek(0);
    // A browser that refuses to play says so by its event.
    if (this.#video.paused) void this.#video.play().catch(() => undefined);
    else this.#video.pause();
  }

  seek(seconds: number): void {
    this.seconds.value = Math.min(Math.max(0, seconds), this.duration.value);
    this.#isChosen = true;
    this.#hasEnded = false;
    this.#go();
  }

  /** Goes to the next processed frame, or to the one before. */
  step(by: 1 | -1): void {
    this.#video?.pause();
    this.seek(stepFrom(this.times.value, this.seconds.value, by));
  }

  /** Pauses on the nearest processed frame. */
  settle(): void {
    const { value: times } = this.times;
    const nearest = times[nearestTo(times, this.seconds.value)];
    this.#video?.pause();
    if (nearest !== undefined && nearest !== this.seconds.value) this.seek(nearest);
  }

  speed(rate: number): void {
    this.rate.value = rate;
    if (this.#video !== null) this.#video.playbackRate = rate;
  }

  /** Moves the video to the current position. */
  #go(): void {
    if (this.#video !== null) this.#video.currentTime = this.seconds.value + WITHIN_SEC;
  }
}

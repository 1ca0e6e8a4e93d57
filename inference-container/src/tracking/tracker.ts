/** Assigns detections the ids of the objects that they show, frame by frame (docs/decisions/0011-tracking.md). */
import type { Box } from "../models/box.ts";
import { assign } from "./assignment.ts";
import { bufferedIou } from "./similarity.ts";
import { Track } from "./track.ts";

/** One detection of a frame. */
export interface TrackerDetection {
  /** Objects of different prompts are different objects. */
  readonly promptIndex: number;
  readonly score: number;
  /** In pixels, x1 < x2 and y1 < y2. */
  readonly box: Box;
  /** True if it may continue an object but not start one. */
  readonly faint: boolean;
}

export interface TrackerOptions {
  /** How long an object may be unseen and keep its id; it may always miss one frame, however far apart frames are. */
  readonly maxGapSeconds: number;
  /** How many objects are remembered; beyond that, those unseen for longest are forgotten. */
  readonly maxTracks: number;
}

const DEFAULTS: TrackerOptions = { maxGapSeconds: 3, maxTracks: 500 };

/** The similarity that a match has to exceed. */
const GATE = 0.1;
/** The longer a track is unseen, the less certain is its place: buffers in sides of the box, and sides per second. */
const BUFFER = { least: 0.1, perSecond: 1.2, most: 0.7 };
/** Around where an object was last seen; with a wider one, an object entering beside the place would take its id. */
const RECOVERY_BUFFER = 0.3;
/** The bonus of a track seen in the previous frame over a hidden one, whose place is less certain. */
const RECENCY_BONUS = 0.05;

export class Tracker {
  readonly #options: TrackerOptions;
  #tracks: Track[] = [];
  #lastTime = -Infinity;
  #timeBefore = -Infinity;
  #lastId = 0;

  constructor(options: Partial<TrackerOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Whether a faint detection could continue an object now. */
  get hasLiveTracks(): boolean {
    return this.#tracks.length > 0;
  }

  /**
   * The ids of the detections of the frame at `timeSec`, in their order: counted from 1 by first appearance, and
   * undefined for a faint one that continues no object. @throws RangeError for a time before the last frame's
   */
  update(timeSec: number, detections: readonly TrackerDetection[]): (number | undefined)[] {
    if (!(timeSec >= this.#lastTime))
      throw new RangeError(
        `The frame at ${timeSec} s came after the one at ${this.#lastTime} s: frames must come in order.`,
      );
    const { maxGapSeconds, maxTracks } = this.#options;
    this.#tracks = this.#tracks.filter(
      ({ lastSeen }) => timeSec - lastSeen <= maxGapSeconds || lastSeen >= this.#timeBefore,
    );

    const continued = this.#associate(timeSec, detections);
    const ids = detections.map(({ promptIndex, box, faint }, i) => {
      const track = continued.get(i);
      track?.observe(timeSec, box);
      return track?.id ?? (faint ? undefined : this.#begin(promptIndex, timeSec, box));
    });

    if (this.#tracks.length > maxTracks)
      this.#tracks = this.#tracks.toSorted((a, b) => b.lastSeen - a.lastSeen).slice(0, maxTracks);
    this.#timeBefore = this.#lastTime;
    this.#lastTime = timeSec;
    return ids;
  }

  /** The tracks that detections continue, by the detection's index. */
  #associate(timeSec: number, detections: readonly TrackerDetection[]): Map<number, Track> {
    const continued = new Map<number, Track>();
    let idle = this.#tracks;
    const match = (faint: boolean, similarity: (track: Track, box: Box) => number): void => {
      const open = [...detections.entries()].filter(([i, one]) => one.faint === faint && !continued.has(i));
      const columns = assign(
        idle.map((track) =>
          open.map(([, { promptIndex, box }]) => {
            const excess = track.promptIndex === promptIndex ? similarity(track, box) - GATE : 0;
            return excess > 0 ? excess + (track.lastSeen === this.#lastTime ? RECENCY_BONUS : 0) : 0;
          }),
        ),
      );
      idle = idle.filter((track, row) => {
        const detection = open[columns[row] ?? -1];
        if (detection !== undefined) continued.set(detection[0], track);
        return detection === undefined;
      });
    };

    const byMotion = (track: Track, box: Box): number => {
      const buffer = Math.min(BUFFER.least + BUFFER.perSecond * (timeSec - track.lastSeen), BUFFER.most);
      return bufferedIou(track.boxAt(timeSec), box, buffer);
    };
    match(false, byMotion);
    match(true, byMotion);
    match(false, (track, box) => bufferedIou(track.lastBox, box, RECOVERY_BUFFER));
    return continued;
  }

  #begin(promptIndex: number, timeSec: number, box: Box): number {
    const track = new Track(++this.#lastId, promptIndex, timeSec, box);
    this.#tracks.push(track);
    return track.id;
  }
}

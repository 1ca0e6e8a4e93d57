/** Assigns detections the ids of the objects that they show, frame by frame (docs/decisions/0011-tracking.md). */
import type { Corners } from "@segmentation/masks";
import { boxIou } from "../models/box.ts";
import { assign } from "./assignment.ts";
import { Track } from "./track.ts";
import type { Instance } from "../models/model.ts";

/** One detection of a frame; objects of different prompts are different objects. */
export type TrackerDetection = Pick<Instance, "promptIndex" | "score" | "box" | "faint" | "appearance">;

/** An object that was seen in the frame before the last, but not in the last. */
export interface Gap {
  readonly id: number;
  readonly promptIndex: number;
  /** The expected place in the last frame, in pixels. */
  readonly box: Corners;
  /** The expected shift of its center since it was last seen, in pixels, to the right and down. */
  readonly moved: readonly [number, number];
}

export interface TrackerOptions {
  /** The time for which an unseen object keeps its id; it may always miss one frame, at any frame rate. */
  readonly maxGapSeconds: number;
  /** The number of remembered objects, or as many as the last two frames had; forgets the longest unseen first. */
  readonly maxTracks: number;
  /** The highest id that is already in use. */
  readonly lastId: number;
}

const DEFAULTS: TrackerOptions = { maxGapSeconds: 3, maxTracks: 500, lastId: 0 };

/** The similarity that a match has to exceed. */
const GATE = 0.1;
/** The longer a track is unseen, the less certain its place: buffers in sides of the box, and sides per second. */
const BUFFER = { least: 0.1, perSecond: 1.2, most: 0.7 };
/** The buffer around the place where an object was last seen; with a wider one, an object that enters next to it would take its id. */
const RECOVERY_BUFFER = 0.3;
/** The bonus of a track that looks like the detection, times the cosine between them: it decides between near ones. */
const LIKENESS_BONUS = 0.2;
/** The bonus of a track seen in the previous frame over a hidden one, whose place is less certain. */
const RECENCY_BONUS = 0.05;

export class Tracker {
  readonly #options: TrackerOptions;
  #tracks: Track[] = [];
  #lastTime = -Infinity;
  #timeBefore = -Infinity;
  #lastId: number;

  constructor(options: Partial<TrackerOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#lastId = this.#options.lastId;
  }

  /** True if a faint detection could continue an object now. */
  get hasLiveTracks(): boolean {
    return this.#tracks.length > 0;
  }

  /**
   * The ids of the detections of the frame at `timeSec`, in their order: counted up by first appearance, and undefined
   * for a faint detection that continues no object.
   * @throws RangeError for a time before the last frame's
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
    const ids = detections.map((detection, i) => {
      const known = continued.get(i);
      known?.observe(timeSec, detection.box);
      const track = known ?? (detection.faint ? undefined : this.#begin(detection, timeSec));
      track?.looksLike(detection.appearance);
      return track?.id;
    });

    // Even in a large crowd, each object may miss one frame.
    const recent = this.#tracks.filter(({ lastSeen }) => lastSeen >= this.#lastTime).length;
    if (this.#tracks.length > maxTracks)
      this.#tracks = this.#tracks
        .toSorted((a, b) => b.lastSeen - a.lastSeen)
        .slice(0, Math.max(maxTracks, recent));
    this.#timeBefore = this.#lastTime;
    this.#lastTime = timeSec;
    return ids;
  }

  /** The objects that the last update had no detection of, though they were seen in the frame before it. */
  gaps(): Gap[] {
    return this.#tracks
      .filter(({ lastSeen }) => lastSeen === this.#timeBefore && lastSeen < this.#lastTime)
      .map((track) => {
        const { id, promptIndex, lastBox } = track;
        const box = track.boxAt(this.#lastTime);
        return { id, promptIndex, box, moved: [box[0] - lastBox[0], box[1] - lastBox[1]] };
      });
  }

  /** Records that one of the `gaps` was found in the last frame after all. */
  bridge(id: number, box: Corners): void {
    this.#tracks.find((track) => track.id === id)?.observe(this.#lastTime, box);
  }

  /** The tracks that detections continue, by the detection's index. */
  #associate(timeSec: number, detections: readonly TrackerDetection[]): Map<number, Track> {
    const continued = new Map<number, Track>();
    let idle = this.#tracks;
    const match = (faint: boolean, similarity: (track: Track, box: Corners) => number): void => {
      const open = [...detections.entries()].filter(([i, one]) => one.faint === faint && !continued.has(i));
      const openOf = Map.groupBy(open, ([, { promptIndex }]) => promptIndex);
      const taken = new Set<Track>();
      for (const [promptIndex, tracks] of Map.groupBy(idle, (track) => track.promptIndex)) {
        const candidates = openOf.get(promptIndex) ?? [];
        const columns = assign(
          tracks.map((track) =>
            candidates.map(([, { box, appearance }]) => {
              const excess = similarity(track, box) - GATE;
              if (excess <= 0) return 0;
              const recency = track.lastSeen === this.#lastTime ? RECENCY_BONUS : 0;
              return excess + recency + LIKENESS_BONUS * track.likeness(appearance);
            }),
          ),
        );
        for (const [row, track] of tracks.entries()) {
          const detection = candidates[columns[row] ?? -1];
          if (detection === undefined) continue;
          continued.set(detection[0], track);
          taken.add(track);
        }
      }
      idle = idle.filter((track) => !taken.has(track));
    };

    const byMotion = (track: Track, box: Corners): number => {
      const buffer = Math.min(BUFFER.least + BUFFER.perSecond * (timeSec - track.lastSeen), BUFFER.most);
      return bufferedIou(track.boxAt(timeSec), box, buffer);
    };
    match(false, byMotion);
    match(true, byMotion);
    match(false, (track, box) => bufferedIou(track.lastBox, box, RECOVERY_BUFFER));
    return continued;
  }

  #begin({ promptIndex, box }: TrackerDetection, timeSec: number): Track {
    const track = new Track(++this.#lastId, promptIndex, timeSec, box);
    this.#tracks.push(track);
    return track;
  }
}

/**
 * The IoU of both boxes with each side moved outwards by `buffer` times the box's own width or height. It is above 0
 * for boxes that are apart by less than their buffers, and 1 for equal boxes. With a buffer of 0 it is the plain IoU.
 * F. Yang, S. Odashima, S. Masui and S. Jiang, "Hard to Track Objects with Irregular Motions and Similar Appearances?
 * Make It Easier by Buffering the Matching Space", WACV 2023.
 */
export function bufferedIou(a: Corners, b: Corners, buffer: number): number {
  return boxIou(buffered(a, buffer), buffered(b, buffer));
}

function buffered([x1, y1, x2, y2]: Corners, buffer: number): Corners {
  const x = (x2 - x1) * buffer;
  const y = (y2 - y1) * buffer;
  return [x1 - x, y1 - y, x2 + x, y2 + y];
}

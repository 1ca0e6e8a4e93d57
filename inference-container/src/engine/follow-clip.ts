/** The objects that regions mark in a video: drawn where a region marks them, and tracked from there. */
import { objectsOf } from "@segmentation/protocol";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Usage } from "../device/usage.ts";
import { taskFailure } from "../failures.ts";
import { Trajectory, type Sighting } from "../following/trajectory.ts";
import type { PointedAt } from "../following/pointed.ts";
import type { TaskHooks, VideoTask } from "../messages.ts";
import { scaledRegion } from "../models/box.ts";
import type { LogitGrid, Region, Size } from "@segmentation/masks";
import type { Model, OpenPicture } from "../models/model.ts";
import type { Clip } from "../video/clip.ts";
import { type Frame, readFrames } from "../video/frames.ts";
import { cutAt, type SamplePlan, shownFrame } from "../video/choose-frames.ts";
import { placeRegions } from "./run-picture.ts";

/** The most bytes of decoded frames that wait to be followed backward. */
const CHUNK_BYTES = 134_217_728;

/** Input of following, from its video's work. */
export interface ClipWork {
  readonly model: Model;
  readonly ffmpeg: string;
  readonly task: VideoTask;
  readonly clip: Clip;
  readonly plan: SamplePlan;
  /** The size of the processed frames. */
  readonly size: Size;
  readonly hooks: Pick<TaskHooks, "signal">;
  readonly usage: Usage;
  /** Reports the number of frames followed backward. */
  readonly progress: (done: number) => void;
}

/** A tracked object in a frame. */
export interface FollowedObject extends Sighting {
  /** The first region of the object. */
  readonly regionIndex: number;
  readonly label?: string;
}

type Kept = Omit<Sighting, "mask"> & { readonly mask: PackedMask };

export class ClipFollower {
  readonly #work: ClipWork;
  readonly #known: ReadonlyMap<number, Pick<FollowedObject, "regionIndex" | "label">>;
  readonly #firstFrames: ReadonlySet<number>;
  readonly #forwards: Trajectory;
  /** Objects found backward, by the frame's index in the video. */
  readonly #before: ReadonlyMap<number, readonly Kept[]>;

  private constructor(work: ClipWork, asked: readonly Asked[], before: ReadonlyMap<number, readonly Kept[]>) {
    this.#work = work;
    this.#known = new Map(
      asked.map(({ objectId, regionIndex, label }) => [
        objectId,
        { regionIndex, ...(label !== undefined && { label }) },
      ]),
    );
    this.#firstFrames = new Set(asked.map(({ firstFrame }) => firstFrame));
    this.#forwards = new Trajectory(asked, work.size, 1);
    this.#before = before;
  }

  /**
   * Follows the task's objects backward from their first regions: the video is written from its start, so this comes
   * first.
   * @returns undefined if the task has no regions
   * @throws TaskFailure if a region is outside the video, or the model can't track; as the model and `readFrames` do
   */
  static async open(work: ClipWork): Promise<ClipFollower | undefined> {
    const { task, model } = work;
    if (task.regions === undefined) return undefined;
    if (model.followsRegions !== true)
      throw taskFailure("regions_unsupported", { what: "follow regions through a video" });
    const asked = askedObjects(work, task.regions);
    return new ClipFollower(work, asked, await backwards(work, asked));
  }

  /** The ids that the objects have. */
  get objectIds(): number[] {
    return [...this.#known.keys()];
  }

  /** Prepares for a later frame, as far as that needs no earlier frame. */
  async prepare({ timeSec }: Frame, open: OpenPicture | undefined): Promise<void> {
    if (this.#forwards.follows(timeSec)) await open?.following?.appearance();
  }

  /** Memory key of a frame's features, if they are needed twice; otherwise null. */
  key({ frameIdx }: Pick<Frame, "frameIdx">): string | null {
    return this.#firstFrames.has(frameIdx) ? keyOf(this.#work.task, frameIdx) : null;
  }

  /** The objects in the next of the video's processed frames. @param open the frame, kept open */
  async look({ frameIdx, timeSec }: Frame, open: OpenPicture | undefined): Promise<FollowedObject[]> {
    const { following } = open ?? {};
    const before = Array.from(this.#before.get(frameIdx) ?? [], (kept) => ({
      ...kept,
      mask: unpacked(kept.mask),
    }));
    const after =
      following === undefined || !this.#forwards.follows(timeSec)
        ? []
        : await this.#forwards.next(timeSec, following);
    return [...before, ...after].flatMap((sighting) => {
      const known = this.#known.get(sighting.objectId);
      return known === undefined ? [] : [{ ...sighting, ...known }];
    });
  }
}

/** An object that a task asks for. */
interface Asked extends PointedAt {
  readonly regionIndex: number;
  readonly label?: string;
  /** The frame of its first region, by its place in the video. */
  readonly firstFrame: number;
}

/** @throws TaskFailure named region_outside_image or region_outside_clip */
function askedObjects(
  { task, clip, plan, size }: ClipWork,
  regions: NonNullable<VideoTask["regions"]>,
): Asked[] {
  const timeOf = (index: number): number => clip.times[index] ?? 0;
  const cut = cutAt(clip.times, task.sampling);
  return Array.from(objectsOf(regions), ({ regions: own, ...object }) => {
    const frames = new Map<number, Region>();
    for (const [at, placed] of placeRegions(own, clip).entries()) {
      const { timeSeconds: time = 0, index = 0 } = own[at] ?? {};
      refuseLate({ index, time }, clip.end, cut);
      const shown = shownFrame(clip.times, time);
      const frame = plan.indexes.findLast((other) => other <= shown) ?? plan.indexes[0] ?? 0;
      frames.set(frame, joined(frames.get(frame), scaledRegion(placed, clip, size)));
    }
    const [firstFrame = 0] = frames.keys();
    return {
      ...object,
      regionIndex: own[0]?.index ?? 0,
      firstFrame,
      regions: new Map(Array.from(frames, ([frame, region]) => [timeOf(frame), region])),
    };
  });
}

const rounded = (seconds: number): number => Math.floor(seconds * 100) / 100;

/** @param cut the time from which `maxFrames` leaves frames out @throws TaskFailure */
function refuseLate(region: { index: number; time: number }, end: number, cut: number): void {
  if (region.time > end)
    throw taskFailure("region_outside_clip", { ...region, what: "the video ends", end: rounded(end) });
  if (region.time >= cut)
    throw taskFailure("region_outside_clip", {
      ...region,
      what: "maxFrames ends the processing",
      end: rounded(cut),
    });
}

/** Joins two regions of one object in one frame: all points, and the last box. */
function joined(a: Region | undefined, b: Region): Region {
  const points = [...(a?.points ?? []), ...(b.points ?? [])];
  const box = b.box ?? a?.box;
  if (box === undefined) return { points };
  return points.length > 0 ? { box, points } : { box };
}

/**
 * Follows the objects backward from their first regions to the video's start. Decodes the frames in chunks, the last
 * one first. Keeps only packed masks of the results; only they grow with the video.
 */
async function backwards(work: ClipWork, objects: readonly Asked[]): Promise<Map<number, Kept[]>> {
  const { ffmpeg, clip, plan, size, hooks } = work;
  const first = new Map(objects.map(({ objectId, firstFrame }) => [objectId, firstFrame]));
  const latest = Math.max(...first.values());
  const wanted = plan.indexes.filter((index) => index <= latest);
  const found = new Map<number, Kept[]>();
  const trajectory = new Trajectory(objects, size, -1);
  const chunk = Math.max(1, Math.floor(CHUNK_BYTES / (3 * size.width * size.height)));
  if (wanted.length < 2) return found;
  for (let end = wanted.length; end > 0; end -= chunk) {
    const frames: Frame[] = [];
    const part = wanted.slice(Math.max(0, end - chunk), end);
    for await (const frame of readFrames(ffmpeg, clip, part, size, hooks.signal)) frames.push(frame);
    for (const frame of frames.toReversed()) {
      hooks.signal.throwIfAborted();
      if (trajectory.follows(frame.timeSec)) {
        using open = await openFrame(work, frame, keyOf(work.task, frame.frameIdx));
        const seen = await trajectory.next(frame.timeSec, open.following ?? unfollowable());
        const earlier = seen.filter(({ objectId }) => frame.frameIdx < (first.get(objectId) ?? 0));
        found.set(
          frame.frameIdx,
          Array.from(earlier, (sighting) => ({ ...sighting, mask: packed(sighting.mask) })),
        );
      }
      work.progress(found.size);
    }
  }
  return found;
}

async function openFrame(
  { model, task, size, usage }: ClipWork,
  { rgb }: Frame,
  key: string | null,
): Promise<OpenPicture> {
  const picture = { ...size, rgb, contentHash: key };
  const { open } = await model.segment(picture, {
    prompts: [],
    threshold: task.scoreThreshold,
    withFaint: false,
    inClip: true,
    keepOpen: true,
    task,
    usage,
  });
  return open ?? unfollowable();
}

const unfollowable = (): never => {
  throw new Error("The model follows regions, but gave a frame that can't be followed.");
};

/** Memory key of a frame's features. */
const keyOf = ({ key }: VideoTask, frameIdx: number): string => `${key} frame ${frameIdx}`;

/** A mask that takes a few kilobytes. */
interface PackedMask extends Size {
  readonly bytes: Buffer;
}

/** Steps for each unit of a logit: the outline moves by a tenth of a cell at most. */
const STEPS = 8;

function packed({ width, height, logits }: LogitGrid): PackedMask {
  // A logit above 0 stays above 0: a set pixel must stay set.
  const steps = Int8Array.from(logits, (logit) => Math.min(Math.max(Math.ceil(logit * STEPS), -127), 127));
  return { width, height, bytes: deflateRawSync(steps, { level: 1 }) };
}

function unpacked({ width, height, bytes }: PackedMask): LogitGrid {
  const steps = inflateRawSync(bytes);
  return {
    width,
    height,
    logits: Float32Array.from(
      new Int8Array(steps.buffer, steps.byteOffset, steps.length),
      (step) => step / STEPS,
    ),
  };
}

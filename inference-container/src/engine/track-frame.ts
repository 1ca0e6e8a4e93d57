import type { Problem } from "@segmentation/protocol";
import { type CocoShape, cocoShapeOf } from "../formats/coco-shape.ts";
import { CLIP_MASK_THRESHOLD, type Corners, findRuns, type LogitGrid, type Size } from "@segmentation/masks";
import { checkSegmentation } from "../models/check-segmentation.ts";
import type { Instance, OpenPicture, Segmentation } from "../models/model.ts";
import type { TrackedObject } from "../preview/preview.ts";
import { Bridges } from "../following/bridge.ts";
import { Tracker } from "../tracking/tracker.ts";
import type { MaskedObject } from "../video/masks-json.ts";
import type { FollowedObject } from "./follow-clip.ts";
import type { Step } from "../steps.ts";
import type { VideoTask } from "../messages.ts";
import { unservedNotice } from "./notices.ts";

/** An object of a frame, as masks.json, the COCO format and the preview need it. */
type FrameObject = MaskedObject & TrackedObject & { readonly shape: CocoShape };

/** Tracks objects through a video's frames in their order. */
export class FrameTracker {
  /** The prompts that were not served; null if all were. */
  notice: Problem | null = null;
  readonly #task: VideoTask;
  readonly #clip: Size;
  readonly #frame: Size;
  readonly #tracker: Tracker;
  readonly #bridges: Bridges;
  readonly #step: Step;
  /** Of masks in use; null for one without a pixel. Prompts that mean the same share their masks. */
  readonly #shapes = new WeakMap<LogitGrid, CocoShape | null>();
  #looked = 0;

  /**
   * @param clip the video's size
   * @param frame the size of the frames
   * @param step is called after each mask
   * @param followed the ids of objects that regions mark: no tracked object gets one of them
   */
  constructor(task: VideoTask, clip: Size, frame: Size, step: Step, followed: readonly number[] = []) {
    this.#tracker = new Tracker({ lastId: Math.max(0, ...followed) });
    this.#task = task;
    this.#step = step;
    this.#clip = clip;
    this.#frame = frame;
    this.#bridges = new Bridges(frame);
  }

  /**
   * True if faint detections could be useful in a frame, counted from 0: there are tracks to continue, or may be by
   * then.
   */
  usesFaint(frame: number): boolean {
    return this.#tracker.hasLiveTracks || this.#looked < frame;
  }

  /** The next frame's objects. @throws TaskFailure if no prompt can be served or the model's result is impossible */
  async look(timeSec: number, found: Segmentation): Promise<FrameObject[]> {
    const { prompts } = this.#task;
    checkSegmentation(found, this.#frame, { prompts: prompts.length, regions: 0 });
    this.notice = unservedNotice(found, prompts.length, this.#task.regions !== undefined);
    const seen: { instance: Instance; shape: CocoShape }[] = [];
    for (const instance of found.instances) {
      const shape = await this.#shapeOf(instance.mask);
      if (shape !== null) seen.push({ instance, shape });
    }
    this.#looked += 1;
    const ids = this.#tracker.update(
      timeSec,
      seen.map(({ instance }) => instance),
    );
    const appearance = ids.some((id) => id !== undefined)
      ? await found.open?.following?.appearance()
      : undefined;
    return seen.flatMap(({ instance, shape }, i) => {
      const objectId = ids[i];
      if (objectId === undefined) return [];
      if (appearance !== undefined) this.#bridges.detected(objectId, timeSec, instance, appearance);
      const { promptIndex, score, mask, box } = instance;
      const prompt = prompts[promptIndex] ?? "";
      const rle = shape.segmentation;
      return [{ objectId, promptIndex, prompt, score, box: this.#inClip(box), mask, rle, shape }];
    });
  }

  /** Turns tracked objects into the frame's objects. */
  async follow(followed: readonly FollowedObject[]): Promise<FrameObject[]> {
    const objects: FrameObject[] = [];
    for (const { objectId, regionIndex, label, score, box, mask } of followed) {
      const shape = await this.#shapeOf(mask);
      if (shape === null) continue;
      const of = { regionIndex, ...(label !== undefined && { label }) };
      const prompt = label ?? `region ${regionIndex}`;
      const rle = shape.segmentation;
      objects.push({ objectId, ...of, prompt, score, box: this.#inClip(box), mask, rle, shape });
    }
    return objects;
  }

  /**
   * Finds the objects that the previous frame showed and that this frame has no detection of.
   *
   * @param open the frame, if it is kept open
   * @param seen its other objects
   */
  async bridge(
    timeSec: number,
    open: OpenPicture | undefined,
    seen: readonly FrameObject[],
  ): Promise<FrameObject[]> {
    if (open?.following === undefined) return [];
    const found = await this.#bridges.find(timeSec, this.#tracker.gaps(), open.following, seen);
    const objects: FrameObject[] = [];
    for (const { objectId, promptIndex, score, mask, box } of found) {
      const shape = await this.#shapeOf(mask);
      if (shape === null) continue;
      this.#tracker.bridge(objectId, box);
      const prompt = this.#task.prompts[promptIndex] ?? "";
      const rle = shape.segmentation;
      objects.push({ objectId, promptIndex, prompt, score, box: this.#inClip(box), mask, rle, shape });
    }
    return objects;
  }

  /** The mask at the video's size; null if it has no pixel. */
  async #shapeOf(mask: LogitGrid): Promise<CocoShape | null> {
    const known = this.#shapes.get(mask);
    if (known !== undefined) return known;
    const runs = findRuns(mask, this.#clip.width, this.#clip.height, CLIP_MASK_THRESHOLD);
    const shape = runs.area > 0 ? cocoShapeOf(runs) : null;
    this.#shapes.set(mask, shape);
    await this.#step();
    return shape;
  }

  #inClip([x1, y1, x2, y2]: Corners): Corners {
    const x = this.#clip.width / this.#frame.width;
    const y = this.#clip.height / this.#frame.height;
    return [x1 * x, y1 * y, x2 * x, y2 * y];
  }
}

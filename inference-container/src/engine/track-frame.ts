import type { Problem } from "@segmentation/protocol";
import { CLIP_MASK_THRESHOLD } from "../masks/runs/clip-threshold.ts";
import { encodeRle } from "../masks/runs/rle.ts";
import type { Box } from "../models/box.ts";
import { checkSegmentation } from "../models/check-segmentation.ts";
import type { Instance, Segmentation } from "../models/model.ts";
import type { TrackedObject } from "../preview/tracked.ts";
import { Tracker } from "../tracking/tracker.ts";
import type { MaskedObject } from "../video/masks-json.ts";
import type { Size } from "../video/size.ts";
import type { VideoTask } from "./messages.ts";
import { unservedNotice } from "./unserved.ts";

/** An object of a frame, as masks.json has it and as the preview shows it. */
interface FrameObject extends MaskedObject, TrackedObject {}

/** Tracks objects through a clip's frames, given in order: what each frame shows, and which of it was seen before. */
export class FrameTracker {
  /** The prompts that could not be served; null if all could. */
  notice: Problem | null = null;
  readonly #task: VideoTask;
  readonly #clip: Size;
  readonly #frame: Size;
  readonly #tracker = new Tracker();
  #looked = 0;

  /** @param clip the clip's size; @param frame the size of the frames that will come */
  constructor(task: VideoTask, clip: Size, frame: Size) {
    this.#task = task;
    this.#clip = clip;
    this.#frame = frame;
  }

  /** Whether faint detections could be of use in a frame, counted from 0: there are tracks to continue, or still may be. */
  usesFaint(frame: number): boolean {
    return this.#tracker.hasLiveTracks || this.#looked < frame;
  }

  /** The next frame's objects. @throws TaskFailure if no prompt can be served or the model's result is impossible */
  look(timeSec: number, found: Segmentation): FrameObject[] {
    const { prompts } = this.#task;
    checkSegmentation(found, this.#frame, prompts.length);
    this.notice = unservedNotice(found, prompts.length);
    this.#looked += 1;
    const { width, height } = this.#clip;
    const seen = found.instances.flatMap((instance) => {
      const rle = encodeRle(instance.mask, width, height, CLIP_MASK_THRESHOLD);
      return rle.area > 0 ? [{ instance, rle }] : [];
    });
    const ids = this.#tracker.update(
      timeSec,
      seen.map(({ instance }) => instance),
    );
    return seen.flatMap(({ instance, rle }, i) => {
      const objectId = ids[i];
      if (objectId === undefined) return [];
      const { promptIndex, score, mask } = instance;
      const prompt = prompts[promptIndex] ?? "";
      return [{ objectId, promptIndex, prompt, score, box: this.#inClip(instance), mask, rle }];
    });
  }

  #inClip({ box: [x1, y1, x2, y2] }: Instance): Box {
    const x = this.#clip.width / this.#frame.width;
    const y = this.#clip.height / this.#frame.height;
    return [x1 * x, y1 * y, x2 * x, y2 * y];
  }
}

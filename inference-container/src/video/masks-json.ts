import type { Rle, Size } from "@segmentation/masks";
import { taskFailure } from "../failures.ts";
import { TextFile, type WrittenText } from "../text-file.ts";
import type { Instance } from "../models/model.ts";

/** Facts about the video in the file: its size in pixels as a viewer shows it, and the samples' frames per second. */
export interface MaskedClip extends Size {
  readonly fps: number;
}

/** One sampled frame; `sampleIdx` counts the samples, `frameIdx` the video's frames, both from 0. */
export interface MaskedFrame {
  readonly sampleIdx: number;
  readonly frameIdx: number;
  readonly timeSec: number;
  readonly objects: readonly MaskedObject[];
}

/** `box` is in pixels of the video. */
export type MaskedObject = FoundBy &
  Pick<Instance, "score" | "box"> & {
    /** The same in all frames for one tracked object. */
    readonly objectId: number;
    readonly rle: Rle;
  };

/** A prompt, or the first region that marks an object, with the object's label. */
type FoundBy =
  | (Pick<Instance, "promptIndex"> & { readonly regionIndex?: never })
  | { readonly promptIndex?: never; readonly regionIndex: number; readonly label?: string };

/** The finished file, and its content in numbers. */
export interface MasksJsonSummary extends WrittenText {
  readonly frames: number;
  readonly framesWithMasks: number;
  readonly totalMasks: number;
}

const END = "\n]}\n";

/** Writes a video's masks.json frame by frame, one line each. Used as a `TextFile`. */
export class MasksJsonWriter {
  readonly #file: TextFile;
  #frames = 0;
  #framesWithMasks = 0;
  #totalMasks = 0;

  private constructor(file: TextFile) {
    this.#file = file;
  }

  /** Creates or overwrites the file. @param limitBytes its largest size */
  static async open(path: string, clip: MaskedClip, limitBytes: number): Promise<MasksJsonWriter> {
    const refuse = () => taskFailure("too_many_masks", { limit: `${limitBytes} bytes of masks` });
    const { width, height, fps } = clip;
    const head = JSON.stringify({ version: 1, width, height, fps: round(fps, 6), frames: [] });
    const file = await TextFile.open(path, head.slice(0, -"]}".length), limitBytes - END.length, refuse);
    return new MasksJsonWriter(file);
  }

  /**
   * Appends a frame, with or without objects.
   * @throws TaskFailure named too_many_masks if the file would exceed its limit
   */
  async frame(frame: MaskedFrame): Promise<void> {
    await this.#file.write(`${this.#frames === 0 ? "" : ","}\n${JSON.stringify(rounded(frame))}`);
    this.#frames++;
    this.#framesWithMasks += frame.objects.length > 0 ? 1 : 0;
    this.#totalMasks += frame.objects.length;
  }

  /** Writes the rest and closes the file. */
  async finish(): Promise<MasksJsonSummary> {
    const written = await this.#file.finish(END);
    const [frames, framesWithMasks, totalMasks] = [this.#frames, this.#framesWithMasks, this.#totalMasks];
    return { ...written, frames, framesWithMasks, totalMasks };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

/** Only the file's own fields, their numbers rounded to meaningful digits. */
function rounded({ sampleIdx, frameIdx, timeSec, objects }: MaskedFrame): object {
  return {
    sampleIdx,
    frameIdx,
    timeSec: round(timeSec, 6),
    objects: objects.map(({ objectId, score, box: [x1, y1, x2, y2], rle, ...of }) => ({
      objectId,
      ...(of.promptIndex === undefined
        ? { regionIndex: of.regionIndex, label: of.label }
        : { promptIndex: of.promptIndex }),
      score: round(score, 6),
      box: [round(x1, 2), round(y1, 2), round(x2, 2), round(y2, 2)],
      rle: { size: rle.size, counts: rle.counts },
    })),
  };
}

function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

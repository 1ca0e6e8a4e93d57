import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Rle } from "../masks/runs/rle.ts";
import { taskFailure } from "../tasks/failure.ts";

/** What the file says of the clip: its size in pixels as a viewer shows it, and the samples' frames per second. */
export interface MaskedClip {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** One sampled frame; `sampleIdx` counts the samples, `frameIdx` the clip's frames, both from 0. */
export interface MaskedFrame {
  readonly sampleIdx: number;
  readonly frameIdx: number;
  readonly timeSec: number;
  readonly objects: readonly MaskedObject[];
}

export interface MaskedObject {
  /** The same in all frames for one tracked object. */
  readonly objectId: number;
  readonly promptIndex: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
  /** [x1, y1, x2, y2] in pixels. */
  readonly box: readonly [number, number, number, number];
  readonly rle: Rle;
}

/** The finished file; `size` is in bytes, `md5` its digest in base64, as Content-MD5 carries it. */
export interface MasksJsonSummary {
  readonly size: number;
  readonly md5: string;
  readonly frames: number;
  readonly framesWithMasks: number;
  readonly totalMasks: number;
}

const END = "\n]}\n";
/** How many bytes of text are gathered before they are written. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Writes a clip's masks.json frame by frame, one line each, so that a clip of any length takes the memory of a chunk.
 * Await each call before the next. The opener has to dispose of it, which also closes an unfinished file.
 */
export class MasksJsonWriter {
  readonly #file: FileHandle;
  readonly #limitBytes: number;
  readonly #hash = createHash("md5");
  #gathered: string[] = [];
  #gatheredBytes = 0;
  #size = 0;
  #frames = 0;
  #framesWithMasks = 0;
  #totalMasks = 0;

  private constructor(file: FileHandle, clip: MaskedClip, limitBytes: number) {
    this.#file = file;
    this.#limitBytes = limitBytes;
    const head = JSON.stringify({
      version: 1,
      width: clip.width,
      height: clip.height,
      fps: round(clip.fps, 6),
      frames: [],
    });
    this.#gather(head.slice(0, -"]}".length));
  }

  /** Creates or overwrites the file; `limitBytes` is how large it may become. */
  static async open(path: string, clip: MaskedClip, limitBytes: number): Promise<MasksJsonWriter> {
    return new MasksJsonWriter(await open(path, "w"), clip, limitBytes);
  }

  /**
   * Appends a frame, with or without objects.
   * @throws TaskFailure named too_many_masks if the file would exceed its limit
   */
  async frame(frame: MaskedFrame): Promise<void> {
    this.#gather(`${this.#frames === 0 ? "" : ","}\n${JSON.stringify(rounded(frame))}`);
    if (this.#size + END.length > this.#limitBytes) {
      throw taskFailure("too_many_masks", { limit: `${this.#limitBytes} bytes of masks` });
    }
    this.#frames++;
    this.#framesWithMasks += frame.objects.length > 0 ? 1 : 0;
    this.#totalMasks += frame.objects.length;
    if (this.#gatheredBytes >= CHUNK_BYTES) await this.#write();
  }

  /** Writes what is left and closes the file. */
  async finish(): Promise<MasksJsonSummary> {
    this.#gather(END);
    await this.#write();
    await this.#file.close();
    return {
      size: this.#size,
      md5: this.#hash.digest("base64"),
      frames: this.#frames,
      framesWithMasks: this.#framesWithMasks,
      totalMasks: this.#totalMasks,
    };
  }

  /** Closes the file, which keeps what was written. */
  async dispose(): Promise<void> {
    await this.#file.close();
  }

  /** As `dispose`, but never rejects, so that it hides no other failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose().catch(() => {});
  }

  #gather(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#gathered.push(text);
    this.#gatheredBytes += bytes;
    this.#size += bytes;
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#gathered.join(""));
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
  }
}

/** Only the file's own fields, their numbers rounded to meaningful digits. */
function rounded({ sampleIdx, frameIdx, timeSec, objects }: MaskedFrame): MaskedFrame {
  return {
    sampleIdx,
    frameIdx,
    timeSec: round(timeSec, 6),
    objects: objects.map(({ objectId, promptIndex, score, box: [x1, y1, x2, y2], rle }) => ({
      objectId,
      promptIndex,
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

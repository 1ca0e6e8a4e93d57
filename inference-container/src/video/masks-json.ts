import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Rle } from "../masks/runs/rle.ts";
import { taskFailure } from "../tasks/failure.ts";

/** What the file says of the clip: pixels as a viewer shows them, frames a second of the samples. */
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
  /** Stable over the frames for one tracked object. */
  readonly objectId: number;
  readonly promptIndex: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
  /** [x1, y1, x2, y2] in pixels. */
  readonly box: readonly [number, number, number, number];
  readonly rle: Rle;
}

/** The finished file; `size` is bytes, `md5` its digest in base64, as Content-MD5 carries it. */
export interface MasksJsonSummary {
  readonly size: number;
  readonly md5: string;
  readonly frames: number;
  readonly framesWithMasks: number;
  readonly totalMasks: number;
}

const END = "\n]}\n";
/** How much text is gathered before it is written. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Writes a clip's masks.json frame by frame, a line each, so that a clip of any length takes the memory of a chunk.
 * Await each call before the next. Whoever opened it disposes of it, which closes an unfinished file too.
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

  /** Begins a file anew; `limitBytes` is how large it may become. */
  static async open(path: string, clip: MaskedClip, limitBytes: number): Promise<MasksJsonWriter> {
    return new MasksJsonWriter(await open(path, "w"), clip, limitBytes);
  }

  /**
   * Appends a frame, with or without objects.
   * @throws TaskFailure named too_many_masks where the file would outgrow its limit
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

  /** Closes the file; it stays as far as it was written. */
  async dispose(): Promise<void> {
    await this.#file.close();
  }

  /** As `dispose`, but it never fails, so that it hides no other failure. */
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

/** The file's own fields, with as many digits as mean something. */
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

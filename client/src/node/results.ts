import { invalidInput, messageOf, SegmentationError } from "../errors.ts";
import { Embedding as WebEmbedding } from "../results/embedding.ts";
import { type CocoOptions, ImageResult as WebImageResult } from "../results/image-result.ts";
import { VideoResult as WebVideoResult } from "../results/video-result.ts";
import { uniqueNames } from "../results/file-names.ts";
import { filesToSave, type SaveOptions, writeAll, writeWhole } from "./save.ts";

/** Options of saving pictures; with `annotated`, `annotations.json` has people's corrections. */
export type ImageSaveOptions = SaveOptions & Pick<CocoOptions, "annotated">;

/** A picture's features, which can be saved. */
export class Embedding extends WebEmbedding {
  /** Writes the file, whole or not at all. */
  async save(path: string): Promise<void> {
    await writeWhole(path, [this.bytes]);
  }
}

/** The result of an image job, which can be saved. */
export class ImageResult extends WebImageResult {
  constructor({ files, job, pictures, prompts }: WebImageResult) {
    super(files, job, pictures, prompts);
  }

  /**
   * Writes the job's files into a folder: `masks/photo.jpg/0.png`, `preview/photo.jpg.png` and so on, and, as a COCO
   * document of all pictures, `annotations.json`. Returns the paths.
   */
  async save(folder: string, { formats, annotated, signal }: ImageSaveOptions = {}): Promise<string[]> {
    const names = new Map(this.pictures.map(({ taskId, name }) => [taskId, name]));
    const all = filesToSave(this.files, formats, uniqueNames(names));
    if (formats === undefined || formats.includes("coco"))
      all.push({ path: "annotations.json", content: JSON.stringify(await this.coco({ annotated, signal })) });
    return await written(folder, writeAll(folder, this.files, all, signal), signal);
  }
}

/** The result of a video job, which can be saved. */
export class VideoResult extends WebVideoResult {
  constructor(result: WebVideoResult) {
    super(result.files, result.job, result);
  }

  /** Writes the job's files into a folder: `masks/street.mp4/masks.json`, `preview/street.mp4.mp4`. Returns the paths. */
  async save(folder: string, { formats, signal }: SaveOptions = {}): Promise<string[]> {
    const all = filesToSave(this.files, formats, uniqueNames(new Map([[this.taskId, this.name]])));
    return await written(folder, writeAll(folder, this.files, all, signal), signal);
  }
}

/** @throws SegmentationError `invalid_input` if the folder cannot be written to, or the signal's reason */
async function written(
  folder: string,
  paths: Promise<string[]>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  try {
    return await paths;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SegmentationError) throw cause;
    throw invalidInput(`The results cannot be written to ${folder}: ${messageOf(cause)}.`, { cause });
  }
}

import { ASSETS } from "../contract.ts";
import { mapParallel } from "../http/parallel.ts";
import { readBlob, readJson } from "../http/read.ts";
import type { ImageManifest, JobStatus } from "../schemas.ts";
import { assetKey } from "./assets.ts";
import { type CocoDocument, cocoFromMasks, mergeCoco } from "./coco.ts";
import type { JobFiles } from "./files.ts";
import { type Mask, readMask } from "./mask.ts";

/** One picture of a job: its masks, or why it has none. */
export class Picture {
  readonly taskId: string;
  /** The file's name, or the taskId of one without. */
  readonly name: string;
  /** By prompt, in the order of the job's; of one prompt by falling confidence. */
  readonly masks: readonly Mask[];
  /** Why the picture failed, or which prompts it could not serve: a code, a colon and a sentence. */
  readonly problem: string | null;
  readonly #files: JobFiles;

  constructor(files: JobFiles, taskId: string, name: string, masks: readonly Mask[], problem: string | null) {
    this.#files = files;
    this.taskId = taskId;
    this.name = name;
    this.masks = masks;
    this.problem = problem;
  }

  /** The picture with its masks drawn on it, of a job with `generatePreview`. @throws SegmentationError if there is none */
  async preview(): Promise<Blob> {
    return await this.#files.read(assetKey(ASSETS.image.preview, this.taskId), readBlob);
  }

  /**
   * The picture as COCO document: the service's, of a job with `formats: ["coco"]`; otherwise made from the masks, which
   * leaves out a picture without any, because its size is known only from its masks.
   */
  async coco(): Promise<CocoDocument> {
    const key = assetKey(ASSETS.image.coco, this.taskId);
    if (this.#files.keys.includes(key)) {
      const { images, ...document } = await this.#files.read(key, readJson<CocoDocument>);
      return { ...document, images: images.map((image) => Object.assign(image, { file_name: this.name })) };
    }
    return await cocoFromMasks(this.name, this.masks);
  }
}

/** What an image job has found. */
export class ImageResult {
  readonly job: JobStatus;
  /** One for each input, in their order. */
  readonly pictures: readonly Picture[];
  readonly files: JobFiles;

  constructor(files: JobFiles, job: JobStatus, pictures: readonly Picture[]) {
    this.files = files;
    this.job = job;
    this.pictures = pictures;
  }

  get jobId(): string {
    return this.job.jobId;
  }

  /** The masks of all pictures. */
  get masks(): readonly Mask[] {
    return this.pictures.flatMap(({ masks }) => masks);
  }

  /** All pictures as one COCO document; see `Picture.coco`. */
  async coco(): Promise<CocoDocument> {
    return mergeCoco(await Promise.all(this.pictures.map((picture) => picture.coco())));
  }
}

/** Fetches the masks of these tasks' pictures. `names` are the files' names by taskId. */
export async function loadPictures(
  files: JobFiles,
  { items }: ImageManifest,
  tasks: JobStatus["tasks"],
  names: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<Picture[]> {
  const ids = new Set(tasks.map(({ taskId }) => taskId));
  const wanted = items.flatMap(({ taskId, masks }) =>
    ids.has(taskId) ? masks.map((mask) => ({ ...mask, taskId })) : [],
  );
  const masks = await mapParallel(
    wanted,
    files.connection.parallel,
    signal,
    async ({ taskId, maskIndex, confidence }, _, each) => ({
      taskId,
      mask: await files.read(
        assetKey(ASSETS.image.masks, taskId, maskIndex),
        readMask(maskIndex, confidence),
        each,
      ),
    }),
  );
  return tasks.map(({ taskId, error }) => {
    const own = masks.filter((each) => each.taskId === taskId).map(({ mask }) => mask);
    return new Picture(files, taskId, names.get(taskId) ?? taskId, own, error);
  });
}

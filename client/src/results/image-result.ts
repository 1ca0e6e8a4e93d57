import { mergeCoco } from "../coco/merge.ts";
import type { CocoDocument } from "../coco/document.ts";
import type { Connection } from "../http/connection.ts";
import { mapParallel } from "../http/parallel.ts";
import type { ImageManifest, JobStatus } from "../schemas.ts";
import type { JobFiles } from "./files.ts";
import { type Mask, readMask } from "./mask.ts";
import { Picture } from "./picture.ts";

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

/** Fetches the masks of a job's pictures. `names` are the files' names by taskId. */
export async function loadPictures(
  { parallel }: Connection,
  files: JobFiles,
  { items }: ImageManifest,
  job: JobStatus,
  names: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<Picture[]> {
  const wanted = items.flatMap(({ taskId, masks }) => masks.map((mask) => ({ ...mask, taskId })));
  const masks = await mapParallel(
    wanted,
    parallel,
    signal,
    async ({ taskId, maskIndex, confidence }, _, each) => ({
      taskId,
      mask: await files.read(`masks/${taskId}/${maskIndex}.png`, readMask(maskIndex, confidence), each),
    }),
  );
  const byTask = new Map(items.map(({ taskId }) => [taskId, [] as Mask[]]));
  for (const { taskId, mask } of masks) byTask.get(taskId)?.push(mask);
  return job.tasks.map(
    ({ taskId, error }) =>
      new Picture(files, taskId, names.get(taskId) ?? taskId, byTask.get(taskId) ?? [], error),
  );
}

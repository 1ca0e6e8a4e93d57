import type { JobStatus } from "../schemas.ts";
import { type CocoDocument, mergeCoco } from "./coco.ts";
import type { JobFiles } from "./files.ts";
import type { Mask } from "./mask.ts";
import type { Picture } from "./picture.ts";

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

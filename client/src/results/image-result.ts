import type { JobStatus } from "../schemas.ts";
import { type CocoDocument, mergeCoco, numbered } from "./coco.ts";
import type { JobFiles } from "./files.ts";
import type { Mask } from "./mask.ts";
import type { Picture } from "./picture.ts";

/** What an image job has found. */
export class ImageResult {
  readonly job: JobStatus;
  /** One for each input, in their order. */
  readonly pictures: readonly Picture[];
  /** What the job looks for, in words, each once. */
  readonly prompts: readonly string[];
  readonly files: JobFiles;

  constructor(
    files: JobFiles,
    job: JobStatus,
    pictures: readonly Picture[],
    prompts: readonly string[] = [],
  ) {
    this.files = files;
    this.job = job;
    this.pictures = pictures;
    this.prompts = prompts;
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
    const documents = await Promise.all(this.pictures.map((picture) => picture.coco()));
    return mergeCoco(documents, numbered(this.prompts));
  }
}

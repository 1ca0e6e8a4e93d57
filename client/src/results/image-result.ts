import type { CallOptions } from "../options.ts";
import type { JobAnnotations, JobStatus, SavedAnnotations } from "../schemas.ts";
import { annotatedCoco } from "./annotated-coco.ts";
import { annotationsOf, type AnnotationsToSave, loadSearches, saveAnnotations } from "./annotations.ts";
import { type CocoDocument, mergeCoco, numbered } from "./coco.ts";
import type { JobFiles } from "./files.ts";
import type { Mask } from "./mask.ts";
import type { Picture } from "./picture.ts";

/** Options of a COCO document; the others are those of the requests that `annotated` makes. */
export interface CocoOptions extends CallOptions {
  /** True for the objects as people left them: with the job's annotations. */
  readonly annotated?: boolean | undefined;
}

/** Result of an image job. */
export class ImageResult {
  readonly job: JobStatus;
  /** One for each input, in their order. */
  readonly pictures: readonly Picture[];
  /** The job's prompts, each once. */
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

  /** Fetches people's corrections of the result, with their version. @throws SegmentationError */
  async annotations(options: CallOptions = {}): Promise<JobAnnotations> {
    return await annotationsOf(this.files.connection, this.jobId, options);
  }

  /**
   * Replaces the corrections by a document that is based on a version of them.
   * @throws SegmentationError `version_conflict` with `currentVersion` if another client has saved since
   */
  async saveAnnotations(based: AnnotationsToSave, options: CallOptions = {}): Promise<SavedAnnotations> {
    return await saveAnnotations(this.files.connection, this.jobId, based, options);
  }

  /**
   * All pictures as one COCO document; see `Picture.coco`. With `annotated`, as people left them: without rejected pictures
   * and hidden or deleted objects, with edited and drawn masks, and with the annotations' classes as categories.
   */
  async coco({ annotated = false, ...options }: CocoOptions = {}): Promise<CocoDocument> {
    if (annotated) {
      const { document } = await this.annotations(options);
      const searches = await loadSearches(this.files.connection, document.searches, options);
      return await annotatedCoco(this, searches, document);
    }
    const documents = await Promise.all(this.pictures.map((picture) => picture.coco()));
    return mergeCoco(documents, numbered(this.prompts));
  }
}

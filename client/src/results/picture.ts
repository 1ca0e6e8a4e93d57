import { ASSETS } from "../contract.ts";
import { readBlob, readJson } from "../http/read.ts";
import { assetKey } from "./assets.ts";
import { type CocoDocument, cocoFromMasks } from "./coco.ts";
import type { JobFiles } from "./files.ts";
import type { Mask } from "./mask.ts";

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
  readonly #prompts: readonly string[];

  constructor(
    files: JobFiles,
    taskId: string,
    name: string,
    masks: readonly Mask[],
    problem: string | null,
    prompts: readonly string[] = [],
  ) {
    this.#files = files;
    this.taskId = taskId;
    this.name = name;
    this.masks = masks;
    this.problem = problem;
    this.#prompts = prompts;
  }

  /** The picture with its masks drawn on it, of a job with `generatePreview`. @throws SegmentationError if there is none */
  async preview(): Promise<Blob> {
    return await this.#files.read(assetKey(ASSETS.image.preview, this.taskId), readBlob);
  }

  /**
   * The picture as COCO document, whose categories are the job's prompts from 1 and then its regions' labels: the service's, of a
   * job with `formats: ["coco"]`; otherwise made from the masks, which leaves out a picture without any, because its size is known
   * only from its masks.
   */
  async coco(): Promise<CocoDocument> {
    const key = assetKey(ASSETS.image.coco, this.taskId);
    if (this.#files.keys.includes(key)) {
      const { images, ...document } = await this.#files.read(key, readJson<CocoDocument>);
      return { ...document, images: images.map((image) => Object.assign(image, { file_name: this.name })) };
    }
    return await cocoFromMasks(this.name, this.masks, this.#prompts);
  }
}

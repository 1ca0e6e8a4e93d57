import { ASSETS } from "../contract.ts";
import { readBlob } from "../http/read.ts";
import { assetKey } from "./assets.ts";
import type { ImageResult } from "./image-result.ts";

/** A picture's features, from which `segmentation-client/interactive` draws masks. */
export class Embedding {
  /** The upload: a job that names it segments the same picture. */
  readonly taskId: string;
  /** The file as the service wrote it, about 4.3 MB. */
  readonly bytes: Uint8Array;

  constructor(taskId: string, bytes: Uint8Array) {
    this.taskId = taskId;
    this.bytes = bytes;
  }
}

/** The embedding of a job's only picture. @throws SegmentationError if the job has none */
export async function embeddingOf({ files, job }: ImageResult, signal?: AbortSignal): Promise<Embedding> {
  const { taskId = "" } = job.tasks[0] ?? {};
  const file = await files.read(assetKey(ASSETS.image.embedding, taskId), readBlob, signal);
  return new Embedding(taskId, new Uint8Array(await file.arrayBuffer()));
}

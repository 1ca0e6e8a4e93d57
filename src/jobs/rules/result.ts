import {
  assetKey,
  filesOf,
  OUTPUTS,
  type NamedFile,
  type ImageTaskOutput,
  type VideoTaskOutput,
} from "@segmentation/protocol";
import type { ArchivedManifest } from "../contract/result.ts";
import type { FinishedJob, FinishedTask, MaskAsked, StoredMask } from "./answers.ts";
import type { JobDefinition, VideoJobDefinition } from "./state.ts";
import { unitsOf } from "./task-outputs.ts";
import { outputKey } from "../../shared/bucket/object-keys.ts";
import type { Presigner } from "../../shared/bucket/presigned-url.ts";

/** An output of a job: its job-relative key, and its key in the bucket. */
export interface Asset {
  readonly key: string;
  readonly objectKey: string;
}

const assetOf = (job: FinishedJob, { taskId, lease }: FinishedTask, file: NamedFile): Asset => ({
  key: assetKey(file.output, taskId, file.index),
  objectKey: outputKey(job.definition, taskId, lease, file.name),
});

/** Returns all outputs of a job: its tasks in the request's order, a task's outputs in the table's order, its masks by index. */
export const assetsOf = (job: FinishedJob): Asset[] =>
  job.tasks.flatMap((task) => filesOf(task.output).map((file) => assetOf(job, task, file)));

/** Returns the COCO documents among them. */
export const annotationsOf = (job: FinishedJob): Asset[] =>
  job.tasks.flatMap((task) =>
    filesOf(task.output).flatMap((file) => (file.kind === "coco" ? [assetOf(job, task, file)] : [])),
  );

/** Returns a finished job's mask of a picture by its index; null if it has none. */
export function storedMask(job: FinishedJob, { taskId, maskIndex }: MaskAsked): StoredMask | null {
  const task = job.tasks.find((each) => each.taskId === taskId);
  if (task?.output.type !== "image") return null;
  const mask = task.output.masks.find((each) => each.maskIndex === maskIndex);
  if (mask === undefined) return null;
  const { definition } = job;
  const inputEtag = definition.inputEtags?.[definition.taskIds.indexOf(taskId)];
  const objectKey = outputKey(definition, taskId, task.lease, mask.file);
  return { objectKey, ...(inputEtag !== undefined && { inputEtag }) };
}

/** Turns an asset's key into a reference: a signed URL or a path. */
type Refer = (key: string) => string;

function itemOf(job: JobDefinition, taskId: string, output: ImageTaskOutput | VideoTaskOutput, refer: Refer) {
  const { type, generatedAt, preview } = output;
  return {
    taskId,
    inputId: taskId,
    units: unitsOf(job, output),
    generatedAt,
    ...(preview !== null && { previewUrl: refer(assetKey(OUTPUTS[type].preview, taskId)) }),
  };
}

const imageItem = (job: JobDefinition, taskId: string, output: ImageTaskOutput, refer: Refer) => ({
  ...itemOf(job, taskId, output, refer),
  masks: output.masks.map(({ maskIndex, confidence }) => ({
    maskIndex,
    confidence,
    url: refer(assetKey(OUTPUTS.image.masks, taskId, maskIndex)),
  })),
});

const videoItem = (job: VideoJobDefinition, taskId: string, output: VideoTaskOutput, refer: Refer) => ({
  ...itemOf(job, taskId, output, refer),
  masks: refer(assetKey(OUTPUTS.video.masks, taskId)),
  ...(job.fps !== null && { fps: job.fps }),
  ...(job.numFrames !== null && { numFrames: job.numFrames }),
  ...(job.maxFrames !== null && { maxFrames: job.maxFrames }),
  scoreThreshold: job.scoreThreshold,
  counts: {
    framesProcessed: output.units,
    framesWithMasks: output.framesWithMasks,
    totalMasks: output.totalMasks,
  },
});

/** The manifest of a job's outputs; `refer` turns an asset's key into its signed URL or its path. */
export function manifestOf({ definition, tasks }: FinishedJob, refer: Refer): ArchivedManifest {
  const { jobId } = definition;
  const prompts = [...definition.prompts];
  if (definition.type === "image") {
    const items = tasks.flatMap(({ taskId, output }) =>
      output.type === "image" ? [imageItem(definition, taskId, output, refer)] : [],
    );
    return { jobId, type: "image", prompts, items };
  }
  const items = tasks.flatMap(({ taskId, output }) =>
    output.type === "video" ? [videoItem(definition, taskId, output, refer)] : [],
  );
  return { jobId, type: "video", prompts, items };
}

/** The manifest up to the place of its first item. */
const openManifest = (definition: JobDefinition): string =>
  JSON.stringify(manifestOf({ definition, tasks: [] }, String)).slice(0, -"]}".length);

/** Number of signatures kept while a result is sent: 64 digits each. */
const MOST_KEPT_SIGNATURES = 1_000;

/**
 * Generates a JobResult as JSON, in pieces: one for each task of the manifest, then one for each task's assets. Holds only one
 * task's URLs at a time, even for many tasks and slow readers. The manifest and the assets have the same URLs: it keeps the first
 * thousand signatures, and makes the others again.
 *
 * @param tasksOf yields the job's finished tasks from the first on, at each call
 * @param expiresIn validity of the signer's URLs, in seconds
 */
export async function* resultJson(
  definition: JobDefinition,
  tasksOf: () => AsyncIterable<FinishedTask> | Iterable<FinishedTask>,
  signer: Presigner,
  expiresIn: number,
): AsyncGenerator<string> {
  const signatures: string[] = [];
  yield `{"manifest":${openManifest(definition)}`;
  let comma = "";
  for await (const task of tasksOf()) {
    const one = { definition, tasks: [task] };
    const urls = new Map<string, string>();
    for (const { key, objectKey } of assetsOf(one)) {
      const signature = await signer.signature(objectKey);
      if (signatures.length < MOST_KEPT_SIGNATURES) signatures.push(signature);
      urls.set(key, signer.url(objectKey, signature));
    }
    const urlOf = (key: string): string => {
      const url = urls.get(key);
      if (url === undefined) throw new Error(`the manifest names ${key}, which is not among the assets`);
      return url;
    };
    for (const item of manifestOf(one, urlOf).items) {
      yield comma + JSON.stringify(item);
      comma = ",";
    }
  }
  yield `]},"assets":[`;
  comma = "";
  const signed = signatures.values();
  for await (const task of tasksOf()) {
    const assets: { key: string; url: string; expiresIn: number }[] = [];
    for (const { key, objectKey } of assetsOf({ definition, tasks: [task] })) {
      const signature = signed.next().value ?? (await signer.signature(objectKey));
      assets.push({ key, url: signer.url(objectKey, signature), expiresIn });
    }
    if (assets.length === 0) continue;
    yield comma + JSON.stringify(assets).slice(1, -1);
    comma = ",";
  }
  yield `],"expiresIn":${expiresIn}}`;
}

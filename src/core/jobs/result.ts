import {
  assetKey,
  filesOf,
  OUTPUTS,
  type NamedFile,
  type ImageTaskOutput,
  type VideoTaskOutput,
} from "@segmentation/protocol";
import type { ArchivedManifest } from "../../contract/result.ts";
import type { FinishedJob, FinishedTask } from "./answers.ts";
import type { VideoJobDefinition } from "./state.ts";
import { outputKey } from "../object-keys.ts";
import type { Presigner } from "../lib/presigned-url.ts";

/** An output of a job: its job-relative key, and its key in the bucket. */
export interface Asset {
  readonly key: string;
  readonly objectKey: string;
}

const assetOf = (job: FinishedJob, { taskId, lease }: FinishedTask, file: NamedFile): Asset => ({
  key: assetKey(file.output, taskId, file.index),
  objectKey: outputKey(job.definition, taskId, lease, file.name),
});

/** All outputs of a job: its tasks in the request's order, a task's outputs in the table's order, its masks by index. */
export const assetsOf = (job: FinishedJob): Asset[] =>
  job.tasks.flatMap((task) => filesOf(task.output).map((file) => assetOf(job, task, file)));

/** The COCO documents among them. */
export const annotationsOf = (job: FinishedJob): Asset[] =>
  job.tasks.flatMap((task) =>
    filesOf(task.output).flatMap((file) => (file.kind === "coco" ? [assetOf(job, task, file)] : [])),
  );

/** Turns an asset's key into a reference: a signed URL or a path. */
type Refer = (key: string) => string;

function itemOf(taskId: string, output: ImageTaskOutput | VideoTaskOutput, refer: Refer) {
  const { type, units, generatedAt, preview } = output;
  return {
    taskId,
    inputId: taskId,
    units,
    generatedAt,
    ...(preview !== null && { previewUrl: refer(assetKey(OUTPUTS[type].preview, taskId)) }),
  };
}

const imageItem = (taskId: string, output: ImageTaskOutput, refer: Refer) => ({
  ...itemOf(taskId, output, refer),
  masks: output.masks.map(({ maskIndex, confidence }) => ({
    maskIndex,
    confidence,
    url: refer(assetKey(OUTPUTS.image.masks, taskId, maskIndex)),
  })),
});

const videoItem = (
  taskId: string,
  output: VideoTaskOutput,
  { fps, numFrames, maxFrames, scoreThreshold }: VideoJobDefinition,
  refer: Refer,
) => ({
  ...itemOf(taskId, output, refer),
  masks: refer(assetKey(OUTPUTS.video.masks, taskId)),
  ...(fps !== null && { fps }),
  ...(numFrames !== null && { numFrames }),
  ...(maxFrames !== null && { maxFrames }),
  scoreThreshold,
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
      output.type === "image" ? [imageItem(taskId, output, refer)] : [],
    );
    return { jobId, type: "image", prompts, items };
  }
  const items = tasks.flatMap(({ taskId, output }) =>
    output.type === "video" ? [videoItem(taskId, output, definition, refer)] : [],
  );
  return { jobId, type: "video", prompts, items };
}

/** The manifest up to the place of its first item. */
const openManifest = (job: FinishedJob): string =>
  JSON.stringify(manifestOf({ ...job, tasks: [] }, String)).slice(0, -"]}".length);

/**
 * A JobResult as JSON, in pieces: one for each task of the manifest, then one for each task's assets. Only one task's URLs
 * are held at a time. The manifest and the assets have the same URLs, so the signatures are kept: 64 digits each.
 *
 * @param expiresIn how long the signer's URLs are valid, in seconds
 */
export async function* resultJson(
  job: FinishedJob,
  signer: Presigner,
  expiresIn: number,
): AsyncGenerator<string> {
  const signatures: string[] = [];
  yield `{"manifest":${openManifest(job)}`;
  let comma = "";
  for (const task of job.tasks) {
    const one = { ...job, tasks: [task] };
    const urls = new Map<string, string>();
    for (const { key, objectKey } of assetsOf(one)) {
      const signature = await signer.signature(objectKey);
      signatures.push(signature);
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
  for (const task of job.tasks) {
    const assets = assetsOf({ ...job, tasks: [task] }).map(({ key, objectKey }) => ({
      key,
      url: signer.url(objectKey, signed.next().value ?? ""),
      expiresIn,
    }));
    if (assets.length === 0) continue;
    yield comma + JSON.stringify(assets).slice(1, -1);
    comma = ",";
  }
  yield `],"expiresIn":${expiresIn}}`;
}

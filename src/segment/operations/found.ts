import { annotationIdOf, type ImageTaskOutput, OUTPUTS } from "@segmentation/protocol";
import type { Box, Rle } from "@segmentation/masks";
import { z } from "zod";
import type { FinishedJob, FinishedTask } from "../../jobs/rules/answers.ts";
import { outputKey } from "../../shared/bucket/object-keys.ts";
import { finishedPage, tasksFrom } from "../../jobs/operations/jobs.ts";
import type { Requester } from "./requester.ts";

export interface FoundObject {
  readonly index: number;
  /** The prompt that found it, or the index of the region in the job's list. */
  readonly by: { readonly prompt: string } | { readonly region: number };
  readonly confidence: number;
  readonly maskKey: string;
  /** Null for an empty mask, and if the job has no annotations. */
  readonly shape: { readonly box: Box; readonly area: number; readonly rle: Rle } | null;
}

/** The objects that a job found in one of its pictures. */
export interface FoundPicture {
  readonly taskId: string;
  /** In pixels; null if the job has no annotations. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly objects: readonly FoundObject[];
  /** The preview's key in the bucket; null if there is none. */
  readonly previewKey: string | null;
}

/** The part of a COCO document that this reads. */
const Annotations = z.object({
  images: z.tuple([z.object({ width: z.number(), height: z.number() })]),
  annotations: z.array(
    z.object({
      id: z.number(),
      bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      area: z.number(),
      segmentation: z.object({ size: z.array(z.number()), counts: z.string() }),
    }),
  ),
});

/** Maximum bytes of annotations to read: thousands of objects. */
const MOST_ANNOTATION_BYTES = 16_000_000;

/** A successful job's outputs. @throws ServiceError job_not_found, job_not_ready. */
export async function finishedJob(
  { platform, account: { accountId } }: Requester,
  jobId: string,
): Promise<FinishedJob> {
  const first = await finishedPage(platform, accountId, jobId);
  const tasks: FinishedTask[] = [];
  for await (const task of tasksFrom(platform, accountId, first)) tasks.push(task);
  return { definition: first.definition, tasks };
}

/** Returns the objects of a successful picture; null for a picture that failed, and for a video. */
export async function foundIn(
  client: Requester,
  job: FinishedJob,
  taskId: string,
): Promise<FoundPicture | null> {
  const { definition } = job;
  const task = job.tasks.find((each) => each.taskId === taskId);
  if (task?.output.type !== "image") return null;
  const { output, lease } = task;
  const keyOf = (name: string) => outputKey(definition, taskId, lease, name);
  const annotations = await annotationsOf(client, keyOf(OUTPUTS.image.coco.name), output);
  const shapes = new Map(annotations?.annotations.map((each) => [each.id, each]));
  const index = definition.taskIds.indexOf(taskId);
  const objects = output.masks.map(({ maskIndex, promptIndex, regionIndex, confidence, file }) => {
    const shape = shapes.get(annotationIdOf(index, maskIndex));
    return {
      index: maskIndex,
      by:
        promptIndex === undefined
          ? { region: regionIndex ?? 0 }
          : { prompt: definition.prompts[promptIndex] ?? "" },
      confidence,
      maskKey: keyOf(file),
      shape: shape === undefined ? null : { box: shape.bbox, area: shape.area, rle: shape.segmentation },
    };
  });
  const previewKey = output.preview === null ? null : keyOf(output.preview);
  return { taskId, size: annotations?.images[0] ?? null, objects, previewKey };
}

async function annotationsOf(
  { platform }: Requester,
  key: string,
  { coco }: ImageTaskOutput,
): Promise<z.infer<typeof Annotations> | null> {
  if (coco === null || coco === undefined) return null;
  const bytes = await platform.media.readSmall(key, MOST_ANNOTATION_BYTES);
  if (bytes === null || bytes === "larger") return null;
  return Annotations.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

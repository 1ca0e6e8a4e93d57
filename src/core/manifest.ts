import type { ArchivedManifest } from "../contract/result.ts";
import type { SettledJob, SettledTask } from "./job/answers.ts";
import { maskAssetKey, outputKey, previewAssetKey } from "./object-keys.ts";

/** An output of a job: its job-relative key, and where it lies in the bucket. */
export interface Asset {
  readonly key: string;
  readonly objectKey: string;
}

function taskAssets(job: SettledJob, { taskId, lease, output }: SettledTask): Asset[] {
  const lying = (name: string) => outputKey(job.definition, taskId, lease, name);
  const masks = output.masks.map((mask) => ({
    key: maskAssetKey(taskId, mask.maskIndex),
    objectKey: lying(mask.file),
  }));
  const preview =
    output.preview === null ? [] : [{ key: previewAssetKey(taskId), objectKey: lying(output.preview) }];
  return [...masks, ...preview];
}

/** All outputs of a job: a task's masks by their index, then its preview, in the order of the request. */
export const assetsOf = (job: SettledJob): Asset[] => job.tasks.flatMap((task) => taskAssets(job, task));

/** The manifest of a job's outputs; `refer` turns an asset's key into what stands for it: a signed URL, a path. */
export function manifestOf(job: SettledJob, refer: (key: string) => string): ArchivedManifest {
  return {
    jobId: job.definition.jobId,
    type: "image",
    prompts: [...job.definition.prompts],
    items: job.tasks.map(({ taskId, output }) => ({
      taskId,
      inputId: taskId,
      units: output.units,
      generatedAt: output.generatedAt,
      ...(output.preview !== null && { previewUrl: refer(previewAssetKey(taskId)) }),
      masks: output.masks.map(({ maskIndex, confidence }) => ({
        maskIndex,
        confidence,
        url: refer(maskAssetKey(taskId, maskIndex)),
      })),
    })),
  };
}

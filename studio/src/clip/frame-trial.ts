import { refreshAccount } from "../state/session.ts";
import { sentenceOf } from "../text/task-problems.ts";
import { create } from "../workspace/jobs/send.ts";
import type { Instance } from "../workspace/rules/instances.ts";
import { FoundJob } from "../workspace/service/found-job.ts";
import { onceOnline } from "../workspace/service/once-online.ts";
import type { Owner } from "../workspace/service/owner.ts";
import { type FrameQuestion, requestFor } from "./frame-question.ts";

/**
 * Segments one frame of a video, for a unit, and deletes the job: it is no result. @throws SegmentationError, Error with a sentence, or
 * the signal's reason
 */
export async function tryFrame(
  owner: Owner,
  frame: Blob,
  question: FrameQuestion,
  signal: AbortSignal,
): Promise<readonly Instance[]> {
  const taskId = await onceOnline(async () => await owner.client.upload(frame, { signal }));
  const created = await create(owner, requestFor(taskId, question), {
    key: crypto.randomUUID(),
    report: () => undefined,
    signal,
  });
  if (created === null) return [];
  const { jobId } = created;
  try {
    const job = await owner.client.waitForJob(jobId, { signal });
    if (job.status === "failed")
      throw new Error(sentenceOf(job.tasks[0]?.error ?? job.error ?? "The frame could not be segmented."));
    return await (await FoundJob.open(owner, jobId)).instances(taskId);
  } finally {
    void owner.api.deleteJob({ jobId }).catch(() => undefined);
    void refreshAccount().catch(() => undefined);
  }
}

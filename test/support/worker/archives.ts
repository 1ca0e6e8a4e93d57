import { runDurableObjectAlarm, type getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Client } from "./api.ts";
import { deliver, finishJob, PlayedInference, success } from "./inference.ts";
import { newJob } from "./jobs.ts";

/** A job that ended in success, with `masks` masks and a preview per task. */
export async function successfulJob(
  client: Client,
  count = 1,
  masks = 1,
): Promise<{ jobId: string; tasks: string[] }> {
  const job = await newJob(client, count, { generatePreview: true });
  await finishJob(new PlayedInference(), client.accountId, job.jobId, job.tasks, () =>
    success(masks, { preview: "preview.png" }),
  );
  return job;
}

/** Delivers the message that asks for an archive. */
export const deliverArchive = (jobId: string): ReturnType<typeof getQueueResult> =>
  deliver("segmentation-archive", { v: 1, jobId });

/** Lets a job's alarm go off now. Returns whether one was set. */
export const ring = (jobId: string): Promise<boolean> => runDurableObjectAlarm(env.JOBS.getByName(jobId));

import type { SegmentationClient } from "../../../node/client.ts";
import type { PlannedJob } from "../journal/entries.ts";

/** By how much this machine's clock may be wrong. */
const CLOCK_MS = 3_600_000;

/** Looks for a job that may have been created although its answer was lost: it has the tasks that were planned. */
export async function findJob(
  client: SegmentationClient,
  { at, request: { tasks } }: PlannedJob,
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const { jobId, totalItems, createdAt } of client.api.listJobs({ limit: 100 }, { signal })) {
    if (Date.parse(createdAt) < at - CLOCK_MS) return undefined;
    if (totalItems !== tasks.length) continue;
    const job = await client.api.retrieveJob({ jobId }, { signal });
    if (job.tasks.every(({ taskId }, i) => taskId === tasks[i])) return jobId;
  }
  return undefined;
}

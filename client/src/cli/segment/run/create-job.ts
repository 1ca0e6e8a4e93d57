import { SegmentationError } from "../../../errors.ts";
import { sleep } from "../../../http/retry.ts";
import type { SegmentationClient } from "../../../node/client.ts";
import type { PlannedJob } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import type { OpenJob } from "../journal/state.ts";

/** Refusals that pass once other jobs, of this or other accounts, have ended. */
const BUSY = new Set<string>([
  "too_many_active_jobs",
  "active_job_exists",
  "trial_queue_full",
  "rate_limited",
  "idempotency_in_progress",
]);

/** The wait if the service gives no time. */
const PAUSE_SECONDS = 5;

/** The service forgets an Idempotency-Key after a day. */
const KEY_LIVES_MS = 20 * 3_600_000;

/**
 * Creates a planned job, with as many requests as necessary: they share an Idempotency-Key, so they create one job.
 * Waits while the account has its maximum of jobs in progress.
 * @param onBusy receives the reason for waiting
 * @throws SegmentationError if the service refuses it; the journal then drops the job
 */
export async function createPlanned(
  client: SegmentationClient,
  journal: Journal,
  job: OpenJob,
  { signal, onBusy }: { readonly signal: AbortSignal; readonly onBusy: (why: string) => void },
): Promise<string> {
  const { key, at, request } = job;
  if (job.jobId !== undefined) return job.jobId;
  const accept = (jobId: string): string => {
    journal.append({ entry: "accepted", key, jobId });
    return jobId;
  };
  if (Date.now() - at > KEY_LIVES_MS) {
    const before = await findJob(client, job, signal);
    if (before !== undefined) return accept(before);
  }
  for (;;) {
    try {
      const { jobId } = await client.api.createJob(request, { idempotencyKey: key, signal });
      return accept(jobId);
    } catch (error) {
      if (!(error instanceof SegmentationError) || error.status === undefined) throw error;
      if (!BUSY.has(error.code)) {
        // A refusal leaves nothing behind; a failure of the service may.
        if (error.status < 500) journal.append({ entry: "dropped", key });
        throw error;
      }
      onBusy(error.message);
      await sleep((error.retryAfterSeconds ?? PAUSE_SECONDS) * 1_000, signal);
    }
  }
}

/** The largest error of this machine's clock. */
const CLOCK_MS = 3_600_000;

/** Finds a job that may have been created although the response was lost: it has the planned tasks. */
async function findJob(
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

import type { JobStatus } from "../../jobs/contract/job.ts";
import { retrieveJob } from "../../jobs/operations/jobs.ts";
import type { JobAnswer } from "../../jobs/rules/answers.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Requester } from "./requester.ts";

/**
 * Waits for a job's end, or this many seconds, and returns the job. `report` receives its progress every few seconds while that
 * changes.
 * @throws ServiceError job_not_found.
 */
export async function waitForJob(
  client: Requester,
  jobId: string,
  seconds: number,
  report: ((progress: number) => Promise<void>) | null = null,
): Promise<JobAnswer> {
  if (seconds <= 0) return retrieveJob({ ...client, jobId });
  let reported = 0;
  for (let left = seconds; ;) {
    const waitSeconds = report === null ? left : Math.min(left, REPORTED_EVERY_SECONDS);
    left -= waitSeconds;
    const answer = await retrieveJob({ ...client, jobId, waitSeconds });
    if (left <= 0 || hasEnded(answer.status) || client.gone.aborted) return answer;
    if (answer.progress > reported) await report?.((reported = answer.progress));
  }
}

const REPORTED_EVERY_SECONDS = 2;

export const hasEnded = ({ status }: Pick<JobStatus, "status">): boolean =>
  status === "success" || status === "failed";

/** Returns the refusal of a failed job's result, with the reason. */
export function jobFailed({ jobId, error, tasks }: JobStatus): ServiceError {
  const reason = error ?? tasks.find((task) => task.error !== null)?.error ?? "";
  return new ServiceError("job_not_ready", `The job ${jobId} failed: ${reason}`);
}

import type { JobStatus } from "../../jobs/contract/job.ts";
import { retrieveJob } from "../../jobs/operations/jobs.ts";
import type { JobAnswer } from "../../jobs/rules/answers.ts";
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
  const until = Date.now() + seconds * 1_000;
  for (let reported = 0; ;) {
    const left = Math.ceil((until - Date.now()) / 1_000);
    if (left <= 0) return retrieveJob({ ...client, jobId });
    const waitSeconds = report === null ? left : Math.min(left, REPORTED_EVERY_SECONDS);
    const answer = await retrieveJob({ ...client, jobId, waitSeconds });
    if (hasEnded(answer.status) || client.gone.aborted) return answer;
    if (answer.progress > reported) await report?.((reported = answer.progress));
  }
}

const REPORTED_EVERY_SECONDS = 2;

export const hasEnded = ({ status }: Pick<JobStatus, "status">): boolean =>
  status === "success" || status === "failed";

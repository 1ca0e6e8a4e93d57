import { ServiceError } from "../../core/errors.ts";
import type { JobAnswer } from "../../core/jobs/answers.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { statusAtEnd } from "../../stores/jobs/questions.ts";
import { jobObjectOf } from "../job-object-of.ts";

/**
 * retrieveJob: at once, or with `waitSeconds` when the job has ended or that time has passed.
 * @throws ServiceError job_not_found, for a foreign job as for a missing one.
 */
export async function retrieveJob(
  platform: Platform,
  { accountId }: Account,
  jobId: string,
  waitSeconds: number | null,
): Promise<JobAnswer> {
  const object = () => jobObjectOf(platform, jobId);
  const answer = await (waitSeconds === null
    ? object().status(accountId)
    : statusAtEnd(object, accountId, waitSeconds * 1_000));
  if (answer === null) throw new ServiceError("job_not_found");
  return answer;
}

import { ServiceError } from "../core/errors.ts";
import { isJobId } from "../core/ids.ts";
import type { JobAnswer } from "../core/job/answers.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../stores/platform.ts";

/** The object of a job id that a client named. @throws ServiceError job_not_found where no job can have that id. */
export function jobObjectOf(platform: Platform, jobId: string): ReturnType<Platform["jobObject"]> {
  if (!isJobId(jobId)) throw new ServiceError("job_not_found");
  return platform.jobObject(jobId);
}

/** retrieveJob. @throws ServiceError job_not_found, of a foreign job as of a missing one. */
export async function retrieveJob(platform: Platform, account: Account, jobId: string): Promise<JobAnswer> {
  const answer = await jobObjectOf(platform, jobId).status(account.accountId);
  if (answer === null) throw new ServiceError("job_not_found");
  return answer;
}

import { ServiceError } from "../../core/errors.ts";
import type { JobAnswer } from "../../core/job/answers.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts.ts";
import { jobObjectOf } from "../job-object-of.ts";

/** retrieveJob. @throws ServiceError job_not_found, for a foreign job as for a missing one. */
export async function retrieveJob(platform: Platform, account: Account, jobId: string): Promise<JobAnswer> {
  const answer = await jobObjectOf(platform, jobId).status(account.accountId);
  if (answer === null) throw new ServiceError("job_not_found");
  return answer;
}

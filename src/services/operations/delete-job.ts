import { ServiceError } from "../../core/errors.ts";
import { log } from "../../core/log.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { jobObjectOf } from "../job-object-of.ts";

/**
 * deleteJob: when it returns, neither the list nor the job's object knows the job any more for its account. Its bytes go soon after.
 * @throws ServiceError job_not_found, for a foreign job and a deleted one as for a missing one; any error of the database, after
 * which the request may be repeated.
 */
export async function deleteJob(platform: Platform, { accountId }: Account, jobId: string): Promise<void> {
  if (!(await jobObjectOf(platform, jobId).delete(accountId))) throw new ServiceError("job_not_found");
  log("info", "job_deleted", { jobId });
}

import type { JobStatus } from "../../contract/job.ts";
import { ServiceError } from "../../core/errors.ts";
import { log } from "../../core/log.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { jobObjectOf } from "../job-object-of.ts";

/** cancelJob: a job that has ended stays as it is. @throws ServiceError job_not_found, for a foreign job as for a missing one. */
export async function cancelJob(
  platform: Platform,
  { accountId }: Account,
  jobId: string,
): Promise<JobStatus> {
  const canceled = await jobObjectOf(platform, jobId).cancel(accountId);
  if (canceled === null) throw new ServiceError("job_not_found");
  const { status, canceledTasks } = canceled;
  if (canceledTasks > 0) log("info", "job_canceled", { jobId, by: "account", canceledTasks });
  return status;
}

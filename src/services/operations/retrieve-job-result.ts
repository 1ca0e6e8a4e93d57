import { ServiceError } from "../../core/errors.ts";
import { assetsOf, resultJson } from "../../core/jobs/result.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { boundAccount } from "../authenticate.ts";
import { jobObjectOf } from "../job-object-of.ts";

const RESULT_SECONDS = 900;

/** As many URLs are signed for one request of the account's rate. */
const OUTPUTS_PER_REQUEST = 1_000;

/**
 * retrieveJobResult: the manifest with a signed URL for each output, a JobResult as JSON in pieces. A job may have 30,000
 * outputs: the whole text would not fit beside its URLs in a Worker's memory. It also takes as much processor time as 30
 * others, and so counts as 30 requests.
 * @throws ServiceError job_not_found, job_not_ready, rate_limited.
 */
export async function retrieveJobResult(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<AsyncGenerator<string>> {
  const job = await jobObjectOf(platform, jobId).result(account.accountId);
  if (job === null) throw new ServiceError("job_not_found");
  if (job === "not_ready") throw new ServiceError("job_not_ready");
  const weight = Math.ceil(assetsOf(job).length / OUTPUTS_PER_REQUEST);
  await boundAccount(platform, account.accountId, weight - 1);
  return resultJson(job, await platform.media.signGets(RESULT_SECONDS), RESULT_SECONDS);
}

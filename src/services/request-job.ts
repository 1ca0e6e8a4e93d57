import { AcceptedJob, type CreateJobRequest } from "../contract/job.ts";
import { newId } from "../core/ids.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../stores/platform.ts";
import { recoverJob } from "./admit-job.ts";
import { acceptedJob, createJob } from "./create-job.ts";
import { once, type HoldKey, type Once } from "./idempotency.ts";

/**
 * createJob, once for an Idempotency-Key where there is one. A repetition of a request that was cut off has its job's id:
 * it answers for that job if it is accepted, and makes it otherwise.
 * @throws ServiceError as createJob, idempotency_mismatch and idempotency_in_progress.
 */
export async function requestJob(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
  key: string | undefined,
): Promise<Once<AcceptedJob>> {
  const { accountId } = account;
  const newJobId = newId("job");
  const create = async (jobId: string, holdKey: HoldKey): Promise<AcceptedJob> => {
    const isTakenUp = jobId !== newJobId;
    if (!isTakenUp || !(await recoverJob(platform, jobId, holdKey))) {
      return createJob(platform, account, request, jobId, holdKey);
    }
    const use = await platform.ledger.use(accountId);
    return acceptedJob(platform.settings, account, request, jobId, use);
  };
  return once(
    platform,
    { accountId, operation: "createJob", key, body: request },
    () => newJobId,
    AcceptedJob,
    async (jobId, holdKey) => {
      const answer = await create(jobId, holdKey);
      return { answer, remembered: answer };
    },
  );
}

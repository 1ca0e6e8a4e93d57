import { ServiceError } from "../../core/errors.ts";
import { MOST_STREAMS } from "../../core/jobs/waiters.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { jobEvents } from "../../stores/jobs/questions.ts";
import { jobObjectOf } from "../job-object-of.ts";

const RETRY_SECONDS = 30;

const tooMany = (whose: string, most: number): ServiceError =>
  new ServiceError(
    "too_many_streams",
    `${whose} has ${most} open streams of events, as many as it may have. Close one, or wait for the job with \`Prefer: wait=60\`.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

/**
 * streamJobEvents: the job's events as they come; null for a client that has heard its `end`.
 * @param lastEventId the id of the last event that an earlier stream brought; null if there was none
 * @throws ServiceError job_not_found, too_many_streams.
 */
export async function streamJobEvents(
  platform: Platform,
  { accountId }: Account,
  jobId: string,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array> | null> {
  const events = await jobEvents(jobObjectOf(platform, jobId), accountId, lastEventId);
  switch (events) {
    case "not_found":
      throw new ServiceError("job_not_found");
    case "heard_end":
      return null;
    case "job_full":
      throw tooMany("The job", MOST_STREAMS.job);
    case "account_full":
      throw tooMany("The account", MOST_STREAMS.account);
    default:
      return events;
  }
}

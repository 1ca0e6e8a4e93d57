import {
  addToClosed,
  closingTimes,
  NOTHING_CLOSED,
  partToClose,
  closedObject,
  closedObjectKey,
  type Entry,
} from "../rules/closing.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { log } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";

/**
 * Each costs two statements to read and five to write, and each account two more to see that nothing is left; D1 takes a
 * thousand statements from one run of a Worker, which also reports usage and inspects uploads. An account in use is due about
 * once in six days: at twelve runs an hour the books of some 120,000 such accounts are closed in time.
 */
const MOST_PARTS_A_RUN = 70;
/** Three entries each: a part is about a megabyte. */
const JOBS_A_PART = 2_500;
/** Retention of a sent meter event after its use: the last two months can be compared with Stripe's. */
const METER_EVENTS_KEPT_MS = 62 * 86_400_000;
const MOST_EVENTS_A_RUN = 20_000;
/** Time for which an account with refused books lets others go first. It needs a person; the log says so at the same interval. */
const REFUSED_FOR_MS = 86_400_000;

/**
 * Closes the books of accounts that are due, part by part: the entries of ended jobs go to the bucket, and then, in one
 * transaction, out of the ledger and into the account's one closing. An interrupted run leaves at most an object that
 * no closing names; the next run continues. An account whose books can't be closed waits for a day, so that others get their turn.
 * @throws any error of a store; the next run begins with other accounts than the one at which this happened.
 */
export async function closeBooks(platform: Platform, now: number): Promise<void> {
  const { dueBefore, closedBefore } = closingTimes(now, platform.settings.LEDGER_OPEN_DAYS);
  const due = await platform.closings.due(dueBefore, now - REFUSED_FOR_MS, MOST_PARTS_A_RUN);
  let left = MOST_PARTS_A_RUN;
  let closed = 0;
  for (const accountId of due) {
    while (left > 0) {
      const jobs = await closeOrPutOff(platform, accountId, closedBefore, now);
      if (jobs === 0) break;
      left -= 1;
      closed += jobs;
    }
  }
  const purged = await platform.closings.purgeMeterEvents(now - METER_EVENTS_KEPT_MS, MOST_EVENTS_A_RUN);
  if (closed + purged > 0)
    log("info", "books_closed", { parts: MOST_PARTS_A_RUN - left, jobs: closed, purgedMeterEvents: purged });
}

/** Calls closePart; if that fails, the account waits. */
async function closeOrPutOff(
  platform: Platform,
  accountId: string,
  closedBefore: number,
  now: number,
): Promise<number> {
  try {
    return await closePart(platform, accountId, closedBefore, now);
  } catch (error) {
    await platform.closings.noteRefusal(accountId, now);
    throw error;
  }
}

/** Closes the next part of an account's books. Returns how many jobs were in it: 0 if there is none to close. */
async function closePart(
  { closings, media }: Platform,
  accountId: string,
  closedBefore: number,
  now: number,
): Promise<number> {
  const previous = await closings.last(accountId);
  const part = partToClose(await closings.ended(accountId, JOBS_A_PART), closedBefore);
  if (part === null) return 0;
  if (typeof part === "string") {
    log("error", "books_refused", { accountId, jobId: part });
    await closings.noteRefusal(accountId, now);
    return 0;
  }
  const { jobs, month, lastEnd } = part;
  const number = (previous?.number ?? 0) + 1;
  const text = closedObject(
    {
      account: accountId,
      number,
      jobs: jobs.length,
      previous: previous && { key: previous.objectKey, digest: previous.digest },
    },
    jobs,
  );
  const digest = await sha256Hex(text);
  const objectKey = closedObjectKey(month, accountId, number, digest);
  await media.writeText(objectKey, text, digest, "application/jsonl");
  const closing = { number, objectKey, digest, sums: addToClosed(previous?.sums ?? NOTHING_CLOSED, jobs) };
  const isWritten = await closings.write(
    accountId,
    previous,
    closing,
    { lastEnd, metered: meteredIn(jobs) },
    now,
  );
  return isWritten ? jobs.length : 0;
}

/** The units of these jobs in each meter event. */
function meteredIn(jobs: readonly (readonly Entry[])[]): Record<string, number> {
  const metered = new Map<string, number>();
  for (const { meterEvent, units } of jobs.flat()) {
    if (meterEvent !== null) metered.set(meterEvent, (metered.get(meterEvent) ?? 0) + units);
  }
  return Object.fromEntries(metered);
}

import type { Relisted } from "../contract/operator.ts";
import type { JobListing } from "../../jobs/rules/answers.ts";
import { unitsToReserve } from "../../jobs/rules/cost.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";

/**
 * Writes an object's job back into the list and the ledger, if they have lost it or its confirmed state, for example by a restore
 * of an older database. A second run changes nothing. An erasure goes by the list, so it has missed a lost job: this erases a
 * lost job of an erased account. A job with closed books gets only the uploads' rows back, by which the sweep finds their bytes.
 * If it were listed, it would look withdrawn and closed, and would be charged.
 * @param dryRun true to report only
 */
async function relistJob(platform: Platform, objectId: string, dryRun: boolean): Promise<Relisted> {
  const jobObject = platform.jobObjectById(objectId);
  const listing = jobObject && (await jobObject.listing());
  if (jobObject === null || listing === null) {
    return { objectId, jobId: null, accountId: null, usedUnits: null, found: "empty" };
  }
  const { jobId, accountId } = listing.definition;
  const usedUnits = listing.cost?.usedUnits ?? null;
  const books = await booksOf(platform, listing);
  // It may know of a move that a restore has undone.
  if (books.database !== platform.at(listing.definition.database).database && !dryRun)
    await jobObject.moveTo(books.database);
  let found = await findLoss(books, listing);
  if (found === "account_erased" && !dryRun) await jobObject.erase();
  if (LOST.has(found) && !dryRun) {
    const units = unitsToReserve(listing.definition, platform.settings.MAX_VIDEO_FRAMES);
    if (await books.lostJobs.relist(listing, Math.max(units, usedUnits ?? 0))) {
      await jobObject.wake();
      log("warn", "job_relisted", { jobId, accountId, found });
    } else {
      found = "books_closed";
      log("warn", "relist_refused", { jobId, accountId, usedUnits, reason: found });
    }
  }
  return { objectId, jobId, accountId, usedUnits, found };
}

/** Returns the stores of a job's account: where the directory says, unless the account is being moved to or from there. */
async function booksOf(platform: Platform, { definition }: JobListing): Promise<Platform> {
  const known = platform.at(definition.database);
  if (platform.databases.length === 1) return known;
  const home = platform.at(await platform.directory.databaseOf(definition.accountId));
  return (await home.transits.find(definition.accountId)) === null ? home : known;
}

/** The findings that call for writing rows back. */
const LOST: ReadonlySet<Relisted["found"]> = new Set(["missing", "behind", "books_closed"]);

async function findLoss(books: Platform, listing: JobListing): Promise<Relisted["found"]> {
  const { definition, phase, projected } = listing;
  const { jobId, accountId } = definition;
  if (phase !== "running") return "unsettled";
  const { version, hasAccount, isErased, isClosed } = await books.lostJobs.find(jobId, accountId);
  if (isErased) return "account_erased";
  if (version !== null) return version < projected ? "behind" : "listed";
  if ((await books.jobs.acceptance(jobId)) === "withdrawn") return "unsettled";
  if (isClosed) return "books_closed";
  return hasAccount ? "missing" : "account_missing";
}

/** Relists the jobs of many objects, like `relistJob`. A failing object does not delay the others. */
export async function relistJobs(
  platform: Platform,
  objectIds: readonly string[],
  dryRun: boolean,
): Promise<Relisted[]> {
  const objects: Relisted[] = [];
  for (const objectId of objectIds) {
    try {
      objects.push(await relistJob(platform, objectId, dryRun));
    } catch (error) {
      log("error", "relist_failed", { object: objectId, reason: reasonOf(error) });
      objects.push({ objectId, jobId: null, accountId: null, usedUnits: null, found: "failed" });
    }
  }
  return objects;
}

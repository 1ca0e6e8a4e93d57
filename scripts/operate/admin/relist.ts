import { RelistAnswer, type Relisted } from "../../../src/operator/contract/operator.ts";
import type { ObjectIds } from "./job-objects.ts";
import type { OperatorApi } from "../../shared/database/operator-api.ts";
import type { Outcome } from "../../shared/database/print.ts";

/** Number of objects that the Worker takes at a time. */
const BATCH = 50;

/** The findings that are listed one by one; all others are only counted. */
const LISTED: ReadonlySet<Relisted["found"]> = new Set([
  "missing",
  "behind",
  "account_missing",
  "books_closed",
  "failed",
] as const);

/**
 * Makes every JobObject write its lost job back, or only report it (`dryRun`). Exit code 1 if something is still missing: with a
 * dry run, for jobs whose account is missing or whose books are closed, or for unreachable objects.
 */
export async function relist(api: OperatorApi, objectIds: ObjectIds, dryRun: boolean): Promise<Outcome> {
  const listed: Relisted[] = [];
  let asked = 0;
  for await (const page of objectIds) {
    for (let i = 0; i < page.length; i += BATCH) {
      const batch = page.slice(i, i + BATCH);
      const { objects } = RelistAnswer.parse(await api.call("POST", "/relist", { objectIds: batch, dryRun }));
      asked += batch.length;
      listed.push(...objects.filter(({ found }) => LISTED.has(found)));
    }
  }
  const count = (wanted: Relisted["found"]): number => listed.filter(({ found }) => found === wanted).length;
  const [homeless, closed, failed] = [count("account_missing"), count("books_closed"), count("failed")];
  const losses = listed.length - failed;
  const left = dryRun ? losses : homeless + closed;
  const summary = dryRun
    ? `Objects asked: ${asked}; jobs missing from the list or outdated there: ${left}. Nothing was written.`
    : `Objects asked: ${asked}; jobs written back: ${losses - left}; jobs without an account: ${homeless}; jobs from a period whose books are closed: ${closed}.`;
  const again = ` Objects that could not be relisted: ${failed}. Run this again; the log has relist_failed.`;
  return {
    result: listed.map(({ objectId, jobId, accountId, usedUnits, found }) => ({
      objectId,
      jobId,
      accountId,
      usedUnits,
      found,
    })),
    summary: summary + (failed === 0 ? "" : again),
    exitCode: left + failed === 0 ? 0 : 1,
  };
}

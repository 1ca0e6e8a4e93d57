import { env } from "cloudflare:workers";
import { checkClosedBooks } from "../../../scripts/admin/closed-books.ts";
import { readClosedObject, type Entry } from "../../../src/billing/rules/closing.ts";
import { present } from "../at.ts";
import { home } from "./databases.ts";

/** An object of the bucket as text; null if it is not there. */
export const readObject = async (key: string): Promise<string | null> =>
  (await (await env.MEDIA.get(key))?.text()) ?? null;

/** The entries of an account that are closed, oldest part first, after all of its closed books were checked. */
export async function closedEntries(accountId: string): Promise<Entry[]> {
  const closing = await home.platform.closings.last(accountId);
  if (closing === null) return [];
  const { objectKey: object_key, ...books } = closing;
  const problem = await checkClosedBooks({ account_id: accountId, object_key, ...books }, readObject);
  if (problem !== null) throw new Error(problem);
  const entries: Entry[] = [];
  for (let key: string | undefined = closing.objectKey; key !== undefined;) {
    const { header, jobs } = readClosedObject(present(await readObject(key), key));
    entries.unshift(...jobs.flat());
    key = header.previous?.key;
  }
  return entries;
}

/** The entries of an account that are in the ledger, in the order in which they were written. */
export async function openEntries(accountId: string): Promise<Entry[]> {
  const { results } = await home.DB.prepare(
    `SELECT id, job_id AS jobId, kind, fund, units, at, meter_event AS meterEvent FROM ledger
     WHERE account_id = ?1 ORDER BY id`,
  )
    .bind(accountId)
    .all<Entry>();
  return results;
}

import type { MoveReport } from "../contract/operator.ts";
import { ServiceError } from "../../shared/errors.ts";
import { log } from "../../shared/log.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { FIXED_TABLES, type Unmovable } from "../store/transit.ts";
import { entriesOf } from "../../accounts/operations/authenticate.ts";
import { askEach, RETRY_SECONDS } from "../../shared/storage/database-failure.ts";

/** Duration of a run: an operator waits for its answer, and asks for the next. */
const RUN_MS = 20_000;
/** D1 takes a thousand statements from one run of a Worker. */
const PAGES_A_RUN = 40;
const JOBS_A_PAGE = 100;

const REFUSALS: Readonly<Record<Unmovable, string>> = {
  no_such_account: "There is no such account.",
  erasing: "The account is erased, or is being erased: it stays where it is.",
  jobs_under_way: "Jobs of the account are under way. Try again once they have ended, or cancel them.",
};

const refused = (message: string): ServiceError => new ServiceError("invalid_request", message);

/** A move in progress, with the platforms at both ends. */
interface Move {
  readonly accountId: string;
  readonly from: Platform;
  readonly to: Platform;
}

/**
 * Moves an account to another database, as far as one run can. The content of the databases decides the next step, so the same
 * code handles a run after an interrupted one, a repeated command and the next run of a long move. Moving an account back to its
 * current database ends an unconfirmed move.
 * @param confirmed true if a whole copy may become the account
 * @throws ServiceError invalid_request if the account can't be moved; any error of a store, after which another run continues.
 */
export async function moveAccount(
  platform: Platform,
  accountId: string,
  to: string,
  confirmed: boolean,
): Promise<MoveReport> {
  const { databases, directory } = platform;
  if (!databases.includes(to))
    throw refused(`There is no database ${to}: the Worker has ${databases.join(", ")}.`);
  const home = await directory.databaseOf(accountId);
  const until = Date.now() + RUN_MS;
  const begun = await findMove(platform, accountId);
  if (begun === null) {
    if (home === to) return arrive({ accountId, from: platform.at(to), to: platform.at(to) });
    const unmovable = await platform.at(home).transits.freeze(accountId, to, Date.now());
    if (unmovable !== null) throw refused(REFUSALS[unmovable]);
    log("info", "account_moving", { account: accountId, from: home, to });
    return goOn({ accountId, from: platform.at(home), to: platform.at(to) }, confirmed, until);
  }
  if (home === begun.to.database) {
    if (to !== home) throw refused(`The account is still being moved to ${home}. Move it there first.`);
    return cleanUp(begun, until);
  }
  if (to === home) return undo(begun, until);
  if (to !== begun.to.database)
    throw refused(`The account is being moved to ${begun.to.database}. Move it there, or back to ${home}.`);
  return goOn(begun, confirmed, until);
}

/**
 * Deletes, as far as one run can, a second copy of an account in a restored database. This is the end of a move from there; the
 * next run, or a move's run, continues an interrupted one.
 * @param confirmed true to delete it; otherwise the report has the number of its rows
 * @throws ServiceError invalid_request if the account works there, or is not whole in its database, or has nothing there
 */
export async function deleteCopy(
  platform: Platform,
  accountId: string,
  from: string,
  confirmed: boolean,
): Promise<MoveReport> {
  const { databases, directory } = platform;
  if (!databases.includes(from))
    throw refused(`There is no database ${from}: the Worker has ${databases.join(", ")}.`);
  const home = await directory.databaseOf(accountId);
  if (home === from)
    throw refused(`The account is active in ${from} according to the directory, so that is not a copy.`);
  const move: Move = { accountId, from: platform.at(from), to: platform.at(home) };
  const begun = await findMove(platform, accountId);
  const isEnding = begun?.from.database === from && begun.to.database === home;
  if ((begun !== null && !isEnding) || (await move.to.transits.find(accountId)) !== null)
    throw refused("The account is being moved. End that with move-account first.");
  const [own, stale] = await Promise.all(
    [move.to, move.from].map((books) => books.transits.count(accountId)),
  );
  if (own?.["accounts"] !== 1)
    throw refused(
      `${home} does not have the account, although the directory says so. Run rebuild-directory first.`,
    );
  const rows = Object.values(stale ?? {}).reduce((sum, n) => sum + n, 0);
  if (rows === 0) throw refused(`${from} has nothing of the account.`);
  if (!confirmed) return { accountId, state: "copied", from, to: home, rows };
  await move.from.transits.leave(accountId, home, Date.now());
  return cleanUp(move, Date.now() + RUN_MS);
}

/**
 * Finds the move of an account that has begun: one of the databases lists it as outgoing.
 * @throws ServiceError database_unavailable if that may be a database that does not answer
 */
async function findMove(platform: Platform, accountId: string): Promise<Move | null> {
  const { answers, away } = await askEach(platform, platform.databases, ({ transits }) =>
    transits.find(accountId),
  );
  for (const { books, answer } of answers)
    if (answer?.direction === "out") return { accountId, from: books, to: platform.at(answer.other) };
  if (away.length === 0) return null;
  throw new ServiceError(
    "database_unavailable",
    `${away.join(", ")} does not answer, and may have an unfinished move of the account. Try again once it does.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

async function report({ accountId, from, to }: Move, state: MoveReport["state"]): Promise<MoveReport> {
  const rows = Object.values(await to.transits.count(accountId)).reduce((sum, n) => sum + n, 0);
  return { accountId, state, from: from.database, to: to.database, rows };
}

/**
 * Handles an account that is already in its new database. A database restored to before the account's arrival still expects it.
 */
async function arrive(move: Move): Promise<MoveReport> {
  const { accountId, to } = move;
  const { transits, database } = to;
  if ((await transits.find(accountId)) !== null) {
    const place = await transits.expect(accountId, database, Date.now());
    if ((await transits.page(accountId, place)) !== null)
      throw refused(
        `${database} has only a part of the account: it was restored to the middle of a move. Restore it to another time.`,
      );
    await transits.release(accountId);
  }
  return report(move, "moved");
}

/** Copies the account, and once the copy is confirmed makes it the account. */
async function goOn(move: Move, confirmed: boolean, until: number): Promise<MoveReport> {
  if (!(await copy(move, until))) return report(move, "copying");
  if (!confirmed) return report(move, "copied");
  const { accountId, from, to } = move;
  await compare(move);
  if (!(await notify(move, to.database, until))) return report(move, "moving");
  await from.directory.move(accountId, to.database, await entriesOf(from, accountId));
  return cleanUp(move, until);
}

/** Copies the remaining rows. Returns true if all are copied. */
async function copy({ accountId, from, to }: Move, until: number): Promise<boolean> {
  let place = await to.transits.expect(accountId, from.database, Date.now());
  for (let pages = 0; ; pages += 1) {
    const page = await from.transits.page(accountId, place);
    if (page === null) break;
    if (pages >= PAGES_A_RUN || Date.now() >= until) return false;
    await to.transits.write(accountId, page);
    place = page.next;
  }
  return true;
}

/** @throws Error if the copy of permanent rows has another number of rows. */
async function compare({ accountId, from, to }: Move): Promise<void> {
  const [there, here] = await Promise.all([from.transits.count(accountId), to.transits.count(accountId)]);
  for (const table of FIXED_TABLES)
    if (there[table] !== here[table])
      throw new Error(
        `${accountId}: ${table} has ${there[table]} rows in ${from.database} and ${here[table]} in ${to.database}`,
      );
}

/** Tells the objects of the account's jobs and endpoints its database. Returns true if all of them know. */
async function notify({ accountId, from }: Move, database: string, until: number): Promise<boolean> {
  const { erasures, transits, webhookEndpoints } = from;
  let after = (await transits.find(accountId))?.notified ?? "";
  // Noted before the first object knows: from here on, the move can only continue.
  await transits.noteNotified(accountId, after);
  for (let pages = 0; ; pages += 1) {
    const page = await erasures.jobs(accountId, after, JOBS_A_PAGE);
    if (page.length === 0) break;
    if (pages >= PAGES_A_RUN || Date.now() >= until) return false;
    await mapPool(page, CONNECTIONS, (jobId) => from.jobObject(jobId).moveTo(database));
    after = page.at(-1) ?? after;
    await transits.noteNotified(accountId, after);
  }
  // After the jobs: with each event, a job tells an endpoint's object the account's database as it knows it.
  for (const endpointId of await webhookEndpoints.ids(accountId))
    await from.webhookObject(endpointId).moveTo(database);
  return true;
}

/** Lets the account work in its new database, and deletes it from the old one. */
async function cleanUp(move: Move, until: number): Promise<MoveReport> {
  const { accountId, from, to } = move;
  await to.transits.release(accountId);
  if (!(await from.transits.delete(accountId, PAGES_A_RUN, until))) return report(move, "moving");
  log("info", "account_moved", { account: accountId, from: from.database, to: to.database });
  return report(move, "moved");
}

/** Ends an unconfirmed move: deletes the copy, and lets the account work in its old database. */
async function undo({ accountId, from, to }: Move, until: number): Promise<MoveReport> {
  const back = { accountId, from: to, to: from };
  if ((await from.transits.find(accountId))?.notified !== null)
    throw refused(`The move to ${to.database} is confirmed. End it, then move the account back.`);
  const isCopied = (await to.transits.find(accountId)) !== null;
  if (isCopied && !(await to.transits.delete(accountId, PAGES_A_RUN, until))) return report(back, "moving");
  await from.transits.release(accountId);
  return report(back, "moved");
}

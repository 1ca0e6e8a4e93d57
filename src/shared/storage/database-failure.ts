import { databaseFault } from "./databases.ts";
import { ServiceError } from "../errors.ts";
import { log, reasonOf } from "../log.ts";
import type { Platform } from "../../platform.ts";
import { ofAnother } from "./d1-store.ts";

/** Time until the next try: a move of an account takes minutes, and a failing database recovers by itself or not soon. */
export const RETRY_SECONDS = 30;

/**
 * Runs a function that needs a database. If that is full, overloaded or away, logs an alarm, and asks the caller to try again:
 * only callers with accounts in it are affected.
 * @throws ServiceError database_unavailable, account_moving; any other error unchanged.
 */
export async function needing<T>(
  platform: Platform,
  database: string,
  work: () => T | Promise<T>,
): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    const fault = error instanceof ServiceError ? null : databaseFault(reason);
    if (fault === null) throw error;
    const hints = { retryAfterSeconds: RETRY_SECONDS };
    if (fault === "moved") throw new ServiceError("account_moving", undefined, hints);
    const times = platform.logThrottle.count(`database_failed ${database} ${fault}`, Date.now());
    if (times > 0) log("error", "database_failed", { database, fault, reason, times });
    throw new ServiceError("database_unavailable", undefined, hints);
  }
}

/** Time that an operator, or a new account, waits for a database that does not answer. */
const PATIENCE_MS = 5_000;

/**
 * Returns the answers of these databases, and the names of those that fail or are too late: one such database delays no other.
 */
export async function askEach<T>(
  { at }: Platform,
  databases: readonly string[],
  ask: (books: Platform) => Promise<T>,
): Promise<{ answers: { books: Platform; answer: T }[]; away: string[] }> {
  const asked = await Promise.all(
    databases.map(async (database) => {
      const books = at(database);
      const answered = await ofAnother(
        ask(books).then((answer) => ({ books, answer })),
        PATIENCE_MS,
      );
      return answered ?? database;
    }),
  );
  const answers = asked.filter((each) => typeof each !== "string");
  return { answers, away: asked.filter((each) => typeof each === "string") };
}

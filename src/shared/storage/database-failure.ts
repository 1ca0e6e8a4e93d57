import { databaseFault } from "./databases.ts";
import { ServiceError } from "../errors.ts";
import { log, reasonOf } from "../log.ts";
import type { Platform } from "../../platform.ts";
import { ofAnother } from "./d1-store.ts";

/** When to try again: a move of an account takes minutes, and a database that fails comes back by itself or not soon. */
export const RETRY_SECONDS = 30;

/**
 * Runs what needs a database. If that is full, overloaded or away, the log gets an alarm, and the caller is asked to try again:
 * those whose books are in it, and nobody else.
 * @throws ServiceError database_unavailable, account_moving; any other error as it is.
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

/** How long an operator, or somebody who is new, waits for a database that does not answer. */
const PATIENCE_MS = 5_000;

/** What each of these databases answers, and which of them fail or do not answer in time: one that is away holds up no other. */
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

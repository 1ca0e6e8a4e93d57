import type { DeadLetters, ReplayedLetters } from "../contract/operator.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import { ArchiveMessage, TaskMessage } from "../../jobs/store/queues.ts";
import { askEach } from "../../shared/storage/database-failure.ts";

/** Retention of a dead letter, in milliseconds. */
export const LETTERS_KEPT_MS = 30 * 86_400_000;

/**
 * Keeps the ids of a message that no consumer could handle, for an operator. Nothing is lost, because the JobObject resends
 * unclaimed messages.
 */
export async function keepDeadLetter(platform: Platform, body: unknown, now: number): Promise<void> {
  const task = TaskMessage.safeParse(body);
  const archive = ArchiveMessage.safeParse(body);
  const jobId = task.data?.jobId ?? archive.data?.jobId ?? null;
  const taskId = task.data?.taskId ?? null;
  log("error", "dead_letter", { jobId, taskId });
  const { databases, at } = platform;
  // A single database needs no query: letters of a batch keep their order.
  const database = databases.length > 1 && jobId !== null ? await databaseOfJob(platform, jobId) : undefined;
  const books = at(database);
  await books.deadLetters.keep({ at: now, jobId, taskId });
}

/** Returns the database of a job's account; the first database if the job is unreachable. */
async function databaseOfJob({ jobObject }: Platform, jobId: string): Promise<string | undefined> {
  try {
    return (await jobObject(jobId).listing())?.definition.database;
  } catch {
    return undefined;
  }
}

/** Maximum number of letters that a call lists or sends again: each of those costs up to three calls of other parts. */
const MOST_A_CALL = 100;

/** Returns the newest dead letters, each with the platform of its database: the id does not name the database. */
async function newestLetters(platform: Platform) {
  const { answers, away } = await askEach(platform, platform.databases, ({ deadLetters }) =>
    deadLetters.newest(MOST_A_CALL),
  );
  const letters = answers
    .flatMap(({ books, answer }) => answer.map((letter) => ({ letter, books })))
    .toSorted((a, b) => b.letter.at - a.letter.at)
    .slice(0, MOST_A_CALL);
  return { letters, away };
}

/** The newest dead letters, newest first: at most a hundred. */
export async function listDeadLetters(platform: Platform): Promise<DeadLetters> {
  const { letters, away } = await newestLetters(platform);
  return { letters: letters.map(({ letter }) => letter), away };
}

/**
 * Sends the messages of the newest dead letters again, at most a hundred. Drops a letter whose job is gone, or that is
 * unreadable.
 */
export async function replayDeadLetters(platform: Platform): Promise<ReplayedLetters> {
  const { letters, away } = await newestLetters(platform);
  let replayed = 0;
  let dropped = 0;
  for (const { letter, books } of letters) {
    const { id, jobId, taskId } = letter;
    try {
      const report = jobId === null ? null : await platform.jobObject(jobId).listing();
      if (jobId === null || report === null) dropped += 1;
      else {
        if (taskId === null) await platform.queues.sendArchive(jobId);
        else await platform.queues.sendTasks(report.definition.lane, jobId, [taskId], report.definition);
        replayed += 1;
      }
      await books.deadLetters.delete(id);
    } catch (error) {
      log("error", "replay_failed", { jobId, reason: reasonOf(error) });
    }
  }
  return { replayed, dropped, away };
}

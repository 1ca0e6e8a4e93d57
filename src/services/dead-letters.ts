import type { DeadLetter, ReplayedLetters } from "../contract/operator.ts";
import { log, reasonOf } from "../core/log.ts";
import type { Platform } from "../platform.ts";
import { ArchiveMessage, TaskMessage } from "../stores/jobs/queues.ts";

/** How long a dead letter is kept, milliseconds. */
export const LETTERS_KEPT_MS = 30 * 86_400_000;

/**
 * Keeps a message that no consumer could handle, for an operator to look at: its ids alone. Nothing is lost,
 * because the JobObject resends what nobody claimed.
 */
export async function keepDeadLetter(platform: Platform, body: unknown, now: number): Promise<void> {
  const task = TaskMessage.safeParse(body);
  const archive = ArchiveMessage.safeParse(body);
  const jobId = task.data?.jobId ?? archive.data?.jobId ?? null;
  const taskId = task.data?.taskId ?? null;
  log("error", "dead_letter", { jobId, taskId });
  const { databases, at } = platform;
  // With one database there is nothing to ask: letters of a batch keep their order.
  const database = databases.length > 1 && jobId !== null ? await databaseOfJob(platform, jobId) : undefined;
  const books = at(database);
  await books.deadLetters.keep({ at: now, jobId, taskId });
}

/** Where a job's account has its books; the first database if the job can't be asked. */
async function databaseOfJob({ jobObject }: Platform, jobId: string): Promise<string | undefined> {
  try {
    return (await jobObject(jobId).listing())?.definition.database;
  } catch {
    return undefined;
  }
}

/** All dead letters, newest first. An id says nothing of the database. */
export async function listDeadLetters({ databases, at }: Platform): Promise<DeadLetter[]> {
  const letters = await Promise.all(databases.map((database) => at(database).deadLetters.list()));
  return letters.flat().toSorted((a, b) => b.at - a.at);
}

/** As replayDeadLettersOf, in all databases. */
export async function replayDeadLetters({ databases, at }: Platform): Promise<ReplayedLetters> {
  const all = await Promise.all(databases.map((database) => replayDeadLettersOf(at(database))));
  return all.reduce((a, b) => ({ replayed: a.replayed + b.replayed, dropped: a.dropped + b.dropped }));
}

/** Sends the messages of all dead letters of a database again. One whose job is gone, or that cannot be read, is dropped. */
async function replayDeadLettersOf(platform: Platform): Promise<ReplayedLetters> {
  let replayed = 0;
  let dropped = 0;
  for (const { id, jobId, taskId } of await platform.deadLetters.list()) {
    try {
      const report = jobId === null ? null : await platform.jobObject(jobId).listing();
      if (jobId === null || report === null) dropped += 1;
      else {
        if (taskId === null) await platform.queues.sendArchive(jobId);
        else await platform.queues.sendTasks(report.definition.lane, jobId, [taskId], report.definition);
        replayed += 1;
      }
      await platform.deadLetters.delete(id);
    } catch (error) {
      log("error", "replay_failed", { jobId, reason: reasonOf(error) });
    }
  }
  return { replayed, dropped };
}

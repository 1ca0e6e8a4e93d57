import type { ReplayedLetters } from "../contract/operator.ts";
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
  await platform.deadLetters.keep({ at: now, jobId, taskId });
}

/** Sends the messages of all dead letters again. One whose job is gone, or that cannot be read, is dropped. */
export async function replayDeadLetters(platform: Platform): Promise<ReplayedLetters> {
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

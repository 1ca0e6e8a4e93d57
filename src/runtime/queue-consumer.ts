import { CONNECTIONS, mapPool } from "../shared/pool.ts";
import { log, reasonOf } from "../shared/log.ts";
import { ARCHIVE_MIB, buildArchive } from "../archives/operations/build-archive.ts";
import { keepDeadLetter } from "../operator/operations/dead-letters.ts";
import { dispatchTask } from "../jobs/operations/dispatch-task.ts";
import { noteStoredUploads, storedByDatabase } from "../uploads/operations/note-stored-uploads.ts";
import { MOST_RETRIES, putOffWithoutRoom } from "../jobs/operations/put-off.ts";
import type { Platform } from "../platform.ts";
import { ArchiveMessage, TaskMessage, UpkeepMessage } from "../jobs/store/queues.ts";
import { runUpkeep } from "./scheduled.ts";

/** A queue's kind, by the end of its name, so that an operator may prefix the name. */
const kindOf = (queue: string) =>
  (["archive", "dead-letters", "uploads", "upkeep"] as const).find((kind) => queue.endsWith(`-${kind}`)) ??
  "task";

/** Runs the work of a message; "full" if this isolate has no room for it now. */
async function handle(
  platform: Platform,
  kind: Exclude<ReturnType<typeof kindOf>, "uploads">,
  body: unknown,
): Promise<void | "full"> {
  switch (kind) {
    case "archive": {
      const { jobId } = ArchiveMessage.parse(body);
      return platform.memory.within(jobId, Date.now(), () => buildArchive(platform, jobId), ARCHIVE_MIB);
    }
    case "task": {
      const { jobId, taskId } = TaskMessage.parse(body);
      return dispatchTask(platform, jobId, taskId);
    }
    case "dead-letters":
      return keepDeadLetter(platform, body, Date.now());
    case "upkeep":
      return runUpkeep(platform, UpkeepMessage.parse(body), Date.now());
  }
}

/** Postpones an archive for which the isolate has no room. A new message replaces the old one, whose retries are for failures. */
async function waitForRoom({ queues }: Platform, message: Message): Promise<void> {
  const delaySeconds = retrySeconds(message.attempts);
  if (message.attempts <= MOST_RETRIES) return message.retry({ delaySeconds });
  await queues.sendArchive(ArchiveMessage.parse(message.body).jobId, delaySeconds);
  message.ack();
}

/** Returns the delay of a message after its n-th failure (n from 1): with ten retries it outlasts half an hour. */
const retrySeconds = (attempts: number): number =>
  Math.ceil(Math.min(600, 5 * 2 ** Math.min(attempts - 1, 10)) * (1 + Math.random() / 2));

/** Retries failed messages later, and logs the reason. */
function retryLater(queue: string, messages: readonly Message[], error: unknown): void {
  log("error", "message_failed", { queue, reason: reasonOf(error) });
  for (const message of messages) message.retry({ delaySeconds: retrySeconds(message.attempts) });
}

/**
 * Takes a batch of the bucket's events: one statement records all of a database, and may run again. Databases are independent.
 */
async function consumeEvents(platform: Platform, { queue, messages }: MessageBatch): Promise<void> {
  const now = Date.now();
  try {
    const databases = await storedByDatabase(platform, messages);
    const notings = [...databases].map(async ([database, stored]) => {
      const taken = stored.map(({ message }) => message);
      try {
        await noteStoredUploads(platform.at(database), stored, now);
        for (const message of taken) message.ack();
      } catch (error) {
        retryLater(queue, taken, error);
      }
    });
    await Promise.all(notings);
  } catch (error) {
    retryLater(queue, messages, error);
  }
}

/**
 * Takes a batch from any queue. Handles each work message separately, so that only a failed message is delivered again; and as
 * many at a time as there are connections: otherwise a timer would abort a message that still waits for a connection, before
 * anything of it was sent.
 */
export async function consume(platform: Platform, batch: MessageBatch): Promise<void> {
  const kind = kindOf(batch.queue);
  if (kind === "uploads") return consumeEvents(platform, batch);
  const messages =
    kind === "task" ? await putOffWithoutRoom(platform, batch.messages, Date.now()) : batch.messages;
  await mapPool(messages, CONNECTIONS, async (message) => {
    try {
      const outcome = await handle(platform, kind, message.body);
      if (outcome === "full") await waitForRoom(platform, message);
      else message.ack();
    } catch (error) {
      retryLater(batch.queue, [message], error);
    }
  });
}

import { log, reasonOf } from "../core/log.ts";
import { buildArchive } from "../services/build-archive.ts";
import { keepDeadLetter } from "../services/dead-letters.ts";
import { dispatchTask } from "../services/dispatch-task.ts";
import type { Platform } from "../platform.ts";
import { ArchiveMessage, TaskMessage } from "../stores/jobs/queues.ts";

/** A queue's kind, by the end of its name, so that an operator may prefix the name. */
const kindOf = (queue: string): "archive" | "dead-letters" | "task" => {
  if (queue.endsWith("-archive")) return "archive";
  return queue.endsWith("-dead-letters") ? "dead-letters" : "task";
};

async function handle(platform: Platform, queue: string, body: unknown): Promise<void> {
  switch (kindOf(queue)) {
    case "archive":
      return buildArchive(platform, ArchiveMessage.parse(body).jobId);
    case "task": {
      const { jobId, taskId } = TaskMessage.parse(body);
      return dispatchTask(platform, jobId, taskId);
    }
    case "dead-letters":
      return keepDeadLetter(platform, body, Date.now());
  }
}

const RETRY_SECONDS = 5;

/** Takes a batch from any queue, each message by itself, so that only a message that failed is delivered again. */
export async function consume(platform: Platform, batch: MessageBatch): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      try {
        await handle(platform, batch.queue, message.body);
        message.ack();
      } catch (error) {
        log("error", "message_failed", { queue: batch.queue, reason: reasonOf(error) });
        message.retry({ delaySeconds: RETRY_SECONDS });
      }
    }),
  );
}

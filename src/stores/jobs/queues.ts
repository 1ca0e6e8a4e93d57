import type { Lane } from "@segmentation/protocol";
import type { ArchiveMessage, TaskMessage } from "./queue-messages.ts";

/** The bindings: a queue of tasks for each lane, and one for archives. */
export interface QueueBindings extends Readonly<Record<Lane, Queue<TaskMessage>>> {
  readonly archive: Queue<ArchiveMessage>;
}

/** The queues: a message says that something is to be done soon, and is never the truth about it. */
export class Queues {
  readonly #queues: QueueBindings;

  constructor(queues: QueueBindings) {
    this.#queues = queues;
  }

  /** Sends one message per task. @throws if the queue takes none of them. */
  async sendTasks(lane: Lane, jobId: string, taskIds: readonly string[]): Promise<void> {
    if (taskIds.length === 0) return;
    await this.#queues[lane].sendBatch(taskIds.map((taskId) => ({ body: { v: 1, jobId, taskId } })));
  }

  /** Asks for a job's archive to be built. @throws if the queue does not take the message. */
  async sendArchive(jobId: string): Promise<void> {
    const message: ArchiveMessage = { v: 1, jobId };
    await this.#queues.archive.send(message);
  }
}

import type { Lane } from "@segmentation/protocol";
import { z } from "zod";

/** Messages carry ids only. The receiver asks the JobObject for the rest. */
export const TaskMessage = z.strictObject({ v: z.literal(1), jobId: z.string(), taskId: z.string() });
export type TaskMessage = z.infer<typeof TaskMessage>;

export const ArchiveMessage = z.strictObject({ v: z.literal(1), jobId: z.string() });
export type ArchiveMessage = z.infer<typeof ArchiveMessage>;

/** The bindings: a queue of tasks for each lane, and one for archives. */
export interface QueueBindings extends Readonly<Record<Lane, Queue<TaskMessage>>> {
  readonly archive: Queue<ArchiveMessage>;
}

/** The queues: a message asks for something to be done soon, and is never the source of truth. */
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
    await this.#queues.archive.send({ v: 1, jobId });
  }
}

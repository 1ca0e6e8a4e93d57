import type { Env } from "../env.ts";
import type { Lane } from "../inference/protocol.ts";
import type { ArchiveMessage, TaskMessage } from "./queue-messages.ts";

/** The queues: a hint that something is to be done soon, never the truth of it. */
export class Queues {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  #lane(lane: Lane): Queue<TaskMessage> {
    switch (lane) {
      case "interactive":
        return this.#env.INTERACTIVE_QUEUE;
      case "bulk":
        return this.#env.BULK_QUEUE;
      case "trial":
        return this.#env.TRIAL_QUEUE;
    }
  }

  /** Sends one message a task. @throws where the queue takes none of them. */
  async sendTasks(lane: Lane, jobId: string, taskIds: readonly string[]): Promise<void> {
    if (taskIds.length === 0) return;
    await this.#lane(lane).sendBatch(taskIds.map((taskId) => ({ body: { v: 1, jobId, taskId } })));
  }

  /** How many tasks of trial accounts wait in their queue. @throws where the queue can't be asked. */
  async trialBacklog(): Promise<number> {
    return (await this.#env.TRIAL_QUEUE.metrics()).backlogCount;
  }

  /** Asks for a job's archive to be built. @throws where the queue does not take the message. */
  async sendArchive(jobId: string): Promise<void> {
    const message: ArchiveMessage = { v: 1, jobId };
    await this.#env.ARCHIVE_QUEUE.send(message);
  }
}

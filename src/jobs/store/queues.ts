import { WaitingTask, type Lane } from "@segmentation/protocol";
import { z } from "zod";
import type { JobDefinition } from "../rules/state.ts";

/**
 * A task's message. The receiver asks the JobObject for the rest. `waiting` decides the task's place among the waiting ones, so
 * the object can sleep while there is no room.
 */
export const TaskMessage = z.strictObject({
  v: z.literal(1),
  jobId: z.string(),
  taskId: z.string(),
  waiting: WaitingTask,
});
export type TaskMessage = z.infer<typeof TaskMessage>;

export const ArchiveMessage = z.strictObject({ v: z.literal(1), jobId: z.string() });
export type ArchiveMessage = z.infer<typeof ArchiveMessage>;

/** Requests the work of a cron in one database. */
export const UpkeepMessage = z.strictObject({ v: z.literal(1), cron: z.string(), database: z.string() });
export type UpkeepMessage = z.infer<typeof UpkeepMessage>;

/** The bindings: a queue of tasks for each lane, one for archives, and one for the upkeep of databases. */
export interface QueueBindings extends Readonly<Record<Lane, Queue<TaskMessage>>> {
  readonly archive: Queue<ArchiveMessage>;
  readonly upkeep: Queue<UpkeepMessage>;
}

/** The queues: a message requests work soon, and is never the source of truth. */
export class Queues {
  readonly #queues: QueueBindings;

  constructor(queues: QueueBindings) {
    this.#queues = queues;
  }

  /** Sends one message per task. @param definition the job's @throws if the queue takes none of them. */
  async sendTasks(
    lane: Lane,
    jobId: string,
    taskIds: readonly string[],
    { type, accountId: account, createdAt: acceptedAt }: JobDefinition,
  ): Promise<void> {
    if (taskIds.length === 0) return;
    const waiting = { lane, type, account, acceptedAt };
    await this.#queues[lane].sendBatch(taskIds.map((taskId) => ({ body: { v: 1, jobId, taskId, waiting } })));
  }

  /** Returns the number of a lane's messages in the queue, and the age of the oldest in seconds. @param now epoch ms */
  async backlog(lane: Lane, now: number): Promise<{ waiting: number; oldestSeconds: number }> {
    const { backlogCount: waiting, oldestMessageTimestamp: oldest } = await this.#queues[lane].metrics();
    const ageMs = oldest === undefined ? 0 : Math.max(0, now - oldest.getTime());
    return { waiting, oldestSeconds: Math.round(ageMs / 1_000) };
  }

  /** Sends messages of a lane again, each after its delay. @throws if the queue takes none of them. */
  async sendLater(
    lane: Lane,
    messages: readonly { readonly body: TaskMessage; readonly delaySeconds: number }[],
  ): Promise<void> {
    await this.#queues[lane].sendBatch(messages);
  }

  /** Requests a job's archive, after a delay. @throws if the queue does not take the message. */
  async sendArchive(jobId: string, delaySeconds = 0): Promise<void> {
    await this.#queues.archive.send({ v: 1, jobId }, { delaySeconds });
  }

  /** Requests the work of a cron in each of these databases. @throws if the queue takes none of the messages. */
  async sendUpkeep(cron: string, databases: readonly string[]): Promise<void> {
    await this.#queues.upkeep.sendBatch(databases.map((database) => ({ body: { v: 1, cron, database } })));
  }
}

import type { TaskOutput } from "../inference/protocol.ts";
import type { JobState } from "../core/job/state.ts";

const STATE = "job";
const outputKeyOf = (taskId: string): string => `output:${taskId}`;

/** One JobObject's own storage: the job's state, and apart from it what each task gave. */
export class JobStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** The state; null where there is no such job. */
  load(): JobState | null {
    return this.#storage.kv.get<JobState>(STATE) ?? null;
  }

  /**
   * Writes the state and sets the alarm (epoch ms) in one turn, so that both are durable or neither is.
   * The platform holds back every answer until they are.
   */
  async save(state: JobState, wakeAt: number): Promise<void> {
    this.#storage.kv.put(STATE, state);
    await this.#storage.setAlarm(wakeAt);
  }

  saveOutput(taskId: string, output: TaskOutput): void {
    this.#storage.kv.put(outputKeyOf(taskId), output);
  }

  loadOutput(taskId: string): TaskOutput | null {
    return this.#storage.kv.get<TaskOutput>(outputKeyOf(taskId)) ?? null;
  }

  /** Forgets the job, alarm included. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
  }
}

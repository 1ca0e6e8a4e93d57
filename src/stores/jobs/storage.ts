import type { KeptArchive } from "../../core/jobs/answers.ts";
import type { JobState } from "../../core/jobs/state.ts";
import type { TaskOutput } from "@segmentation/protocol";
import { clearKeptArchive, loadKeptArchive, saveKeptArchive } from "./kept-archive.ts";
import { recordOf, stateOf, type JobRecord, type JobRecordV1 } from "./record.ts";

const STATE = "job";
const outputKeyOf = (taskId: string): string => `output:${taskId}`;

/** One JobObject's own storage: the job's state, and apart from it what each task gave and what is kept of an archive. */
export class JobStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** The state; null if there is no such job. */
  load(): JobState | null {
    const record = this.#storage.kv.get<JobRecordV1 | JobRecord>(STATE);
    return record === undefined ? null : stateOf(record);
  }

  /**
   * Writes the state and sets the alarm (epoch ms) in one turn, so that both are durable or neither is.
   * The platform holds every answer back until they are.
   */
  async save(state: JobState, wakeAt: number): Promise<void> {
    this.#storage.kv.put(STATE, recordOf(state));
    await this.#storage.setAlarm(wakeAt);
  }

  /** Resolves when everything that was saved is durable. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  saveOutput(taskId: string, output: TaskOutput): void {
    this.#storage.kv.put(outputKeyOf(taskId), output);
  }

  loadOutput(taskId: string): TaskOutput | null {
    return this.#storage.kv.get<TaskOutput>(outputKeyOf(taskId)) ?? null;
  }

  /** Replaces what is kept of the job's half-built archive. */
  saveKeptArchive(kept: KeptArchive): void {
    saveKeptArchive(this.#storage.kv, kept);
  }

  /** What is kept of it; null if nothing is. */
  loadKeptArchive(): KeptArchive | null {
    return loadKeptArchive(this.#storage.kv);
  }

  /** Forgets what is kept of it. */
  clearKeptArchive(): void {
    clearKeptArchive(this.#storage.kv);
  }

  /** Forgets the job, alarm included: in one turn, so that no crash leaves the one without the other. */
  async clear(): Promise<void> {
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }
}

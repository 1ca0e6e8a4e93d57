import type { JobDefinition, JobState } from "../core/job/state.ts";
import type { TaskOutput } from "@segmentation/protocol";

const STATE = "job";
const outputKeyOf = (taskId: string): string => `output:${taskId}`;

/** Stored records call the processing mode `mode`; these two functions are the only ones that know. */
const storedDefinition = ({ processingMode: mode, ...rest }: JobDefinition) => ({ ...rest, mode });
type StoredDefinition = ReturnType<typeof storedDefinition>;
const definitionOf = ({ mode, ...rest }: StoredDefinition): JobDefinition => ({
  ...rest,
  processingMode: mode,
});

/** A job's state as it is stored. */
type StoredState = Omit<JobState, "definition"> & { readonly definition: StoredDefinition };

/** One JobObject's own storage: the job's state, and apart from it what each task gave. */
export class JobStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** The state; null if there is no such job. */
  load(): JobState | null {
    const stored = this.#storage.kv.get<StoredState>(STATE);
    return stored === undefined ? null : { ...stored, definition: definitionOf(stored.definition) };
  }

  /**
   * Writes the state and sets the alarm (epoch ms) in one turn, so that both are durable or neither is.
   * The platform holds every answer back until they are.
   */
  async save(state: JobState, wakeAt: number): Promise<void> {
    const stored: StoredState = { ...state, definition: storedDefinition(state.definition) };
    this.#storage.kv.put(STATE, stored);
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

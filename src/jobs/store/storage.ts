import type { StoredAnnotations } from "../rules/annotations.ts";
import type { KeptArchive } from "../rules/answers.ts";
import type { JobState } from "../rules/state.ts";
import type { TaskOutput } from "@segmentation/protocol";
import { ObjectAlarm } from "../../shared/storage/object-alarm.ts";

const STATE = "job";
const outputKeyOf = (taskId: string): string => `output:${taskId}`;

const ANNOTATIONS = "annotations";

const ARCHIVE = "archive";
/** A value may have at most 2 MB, and a half-built archive ends with up to one part of 8 MiB. */
const PIECE_BYTES = 1024 * 1024;
const pieceKeyOf = (index: number): string => `${ARCHIVE}:${index}`;

/** A half-built archive in storage: the bytes of `rest` are in this many separate values. */
interface StoredArchive extends Omit<KeptArchive, "rest"> {
  readonly pieces: number;
}

/** The storage of one JobObject: the job's state and, separately, each task's output, the annotations and the half-built archive. */
export class JobStorage {
  readonly #storage: DurableObjectStorage;
  readonly #kv: SyncKvStorage;
  readonly alarm: ObjectAlarm;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#kv = storage.kv;
    this.alarm = new ObjectAlarm(storage);
  }

  /** The state; null if there is no such job. */
  load(): JobState | null {
    return this.#kv.get<JobState>(STATE) ?? null;
  }

  /**
   * Writes the state and sets the alarm (epoch ms) in one turn, so that both are durable or neither is.
   * The platform holds every answer back until they are.
   */
  async save(state: JobState, wakeAt: number): Promise<void> {
    this.#kv.put(STATE, state);
    await this.alarm.set(wakeAt);
  }

  /** Resolves when everything saved is durable. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  saveOutput(taskId: string, output: TaskOutput): void {
    this.#kv.put(outputKeyOf(taskId), output);
  }

  loadOutput(taskId: string): TaskOutput | null {
    return this.#kv.get<TaskOutput>(outputKeyOf(taskId)) ?? null;
  }

  /** Replaces the annotations; they have less than the 2 MB of a value. */
  saveAnnotations(annotations: StoredAnnotations): void {
    this.#kv.put(ANNOTATIONS, annotations);
  }

  /** The annotations; null if there are none. */
  loadAnnotations(): StoredAnnotations | null {
    return this.#kv.get<StoredAnnotations>(ANNOTATIONS) ?? null;
  }

  clearAnnotations(): void {
    this.#kv.delete(ANNOTATIONS);
  }

  saveKeptArchive({ rest, ...kept }: KeptArchive): void {
    const pieces = Math.ceil(rest.length / PIECE_BYTES);
    const stored: StoredArchive = { ...kept, pieces };
    this.#kv.put(ARCHIVE, stored);
    for (let i = 0; i < pieces; i += 1) {
      this.#kv.put(pieceKeyOf(i), rest.slice(i * PIECE_BYTES, (i + 1) * PIECE_BYTES));
    }
  }

  /** The half-built archive; null if there is none. */
  loadKeptArchive(): KeptArchive | null {
    const stored = this.#kv.get<StoredArchive>(ARCHIVE);
    if (stored === undefined) return null;
    const { pieces, ...kept } = stored;
    const rest = new Uint8Array(pieces * PIECE_BYTES);
    let length = 0;
    for (let i = 0; i < pieces; i += 1) {
      const piece = this.#kv.get<Uint8Array>(pieceKeyOf(i)) ?? new Uint8Array();
      rest.set(piece, length);
      length += piece.length;
    }
    return { ...kept, rest: rest.slice(0, length) };
  }

  clearKeptArchive(): void {
    const keys = Array.from(this.#kv.list({ prefix: ARCHIVE }), ([key]) => key);
    for (const key of keys) this.#kv.delete(key);
  }

  /** Deletes the job, alarm included: in one turn, so that no crash leaves one without the other. */
  async clear(): Promise<void> {
    await Promise.all([this.alarm.delete(), this.#storage.deleteAll()]);
  }
}

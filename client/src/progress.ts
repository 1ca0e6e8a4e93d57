import type { JobUpdate } from "./wait/watch.ts";

/** How far a call of `segment` is. */
export interface Progress {
  readonly uploadedBytes: number;
  /** Of all files. */
  readonly totalBytes: number;
  /** How many of the job's tasks have ended. */
  readonly tasksDone: number;
  readonly tasks: number;
  /** The share of the job's work that is done, 0 to 1; of a clip, the share of its frames. */
  readonly share: number;
  /** From the job's creation on. */
  readonly jobId: string | undefined;
}

/** Puts together what `onProgress` is told. */
export class ProgressTeller {
  readonly #tell: ((progress: Progress) => void) | undefined;
  readonly #sizes: number[];
  readonly #uploaded: number[];
  #update: JobUpdate | undefined;

  /** @param sizes of the files, in bytes */
  constructor(tell: ((progress: Progress) => void) | undefined, sizes: number[]) {
    this.#tell = tell;
    this.#sizes = sizes;
    this.#uploaded = sizes.map(() => 0);
  }

  /** So many bytes of a file are gone. */
  uploaded(file: number, bytes: number): void {
    this.#uploaded[file] = bytes;
    this.#report();
  }

  /** A file that came from a URL turned out to have so many bytes. */
  fetched(file: number, bytes: number): void {
    this.#sizes[file] = bytes;
    this.uploaded(file, bytes);
  }

  /** The job is so far. */
  job(update: JobUpdate): void {
    this.#update = update;
    this.#report();
  }

  #report(): void {
    const tasks = this.#update?.job.tasks ?? [];
    this.#tell?.({
      uploadedBytes: sum(this.#uploaded),
      totalBytes: sum(this.#sizes),
      tasksDone: tasks.filter(({ status }) => status === "success" || status === "failed").length,
      tasks: this.#sizes.length,
      share: this.#update?.progress ?? 0,
      jobId: this.#update?.job.jobId,
    });
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

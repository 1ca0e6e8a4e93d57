import { hasEnded, type JobUpdate } from "./wait/watch.ts";

/** Progress of a call of `segment`. */
export interface Progress {
  readonly uploadedBytes: number;
  /** Of all files. */
  readonly totalBytes: number;
  /** Number of the job's tasks that have ended. */
  readonly tasksDone: number;
  readonly tasks: number;
  /** The share of the job's work that is done, 0 to 1; of a video, the share of its frames. */
  readonly share: number;
  /** From the job's creation on. */
  readonly jobId: string | undefined;
}

/**
 * Calls `onProgress` with the progress of a run's files and job.
 * @param sizes of the files, in bytes
 * @param sent the bytes of each that have been sent
 */
export function progressReporter(
  onProgress: ((progress: Progress) => void) | undefined,
  sizes: number[],
  sent = sizes.map(() => 0),
) {
  let update: JobUpdate | undefined;
  const report = (): void => {
    const { job, progress = 0 } = update ?? {};
    const tasks = job?.tasks ?? [];
    onProgress?.({
      uploadedBytes: sum(sent),
      totalBytes: sum(sizes),
      tasksDone: tasks.filter(hasEnded).length,
      tasks: job?.tasks.length ?? sizes.length,
      share: progress,
      jobId: job?.jobId,
    });
  };
  return {
    /** Reports the bytes of a file that have been sent. @param size of a file that came from a URL */
    uploaded(file: number, bytes: number, size = sizes[file] ?? 0): void {
      sent[file] = bytes;
      sizes[file] = size;
      report();
    },
    /** Reports the job's progress. */
    job(next: JobUpdate): void {
      update = next;
      report();
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

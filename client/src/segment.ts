import { askFor } from "./api/api.ts";
import { SegmentationError } from "./errors.ts";
import type { Connection } from "./http/connection.ts";
import { mapParallel } from "./http/parallel.ts";
import { type Progress, ProgressTeller } from "./progress.ts";
import type { ImageJobRequest, JobStatus, VideoJobRequest } from "./schemas.ts";
import { contentTypeOf } from "./upload/content-type.ts";
import type { NamedFile } from "./upload/input.ts";
import type { SendFile } from "./upload/send-file.ts";
import { uploadFile } from "./upload/upload.ts";
import { assertSucceeded } from "./wait/failed-job.ts";
import { lastStatus, watch } from "./wait/watch.ts";

export interface RunOptions {
  /** Ends the call wherever it is, and rejects with the signal's reason. A job that was created goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Whether an abort also cancels the job. */
  readonly cancelOnAbort?: boolean | undefined;
  /** Called whenever something is done. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What a job of pictures takes beside its files and prompts. */
export type SegmentOptions = RunOptions & Omit<ImageJobRequest, "type" | "prompts" | "tasks">;

/** What a job of a clip takes beside its file and prompts. */
export type SegmentVideoOptions = RunOptions & Omit<VideoJobRequest, "type" | "prompts" | "tasks">;

/** What a job is made of. */
export interface Run {
  readonly type: "image" | "video";
  readonly files: readonly NamedFile[];
  readonly prompts: readonly string[];
  readonly options: SegmentOptions | SegmentVideoOptions;
}

/** A job that has succeeded, and the names of its files by taskId. */
export interface EndedRun {
  readonly job: JobStatus;
  readonly names: ReadonlyMap<string, string>;
}

/** Uploads the files, creates the job, and waits until it has ended. @throws SegmentationError also if the job fails */
export async function runJob(connection: Connection, send: SendFile, run: Run): Promise<EndedRun> {
  const { signal, cancelOnAbort = false, onProgress, ...fields } = run.options;
  const teller = new ProgressTeller(
    onProgress,
    run.files.map(({ file }) => file.size),
  );
  const types = await Promise.all(run.files.map(({ file }) => contentTypeOf(file)));
  for (const [i, type] of types.entries()) assertKind(run.type, type, run.files[i]?.name ?? `input ${i + 1}`);
  const tasks = await mapParallel(run.files, connection.parallel, signal, ({ file }, i, each) =>
    uploadFile(connection, send, file, types[i] ?? "", {
      signal: each,
      onBytes: (bytes) => teller.uploaded(i, bytes),
    }),
  );
  const request = { ...fields, type: run.type, prompts: [...run.prompts], tasks };
  // A job that shall be cancelled has to be known, even if it is created in the moment of the abort.
  const { data } = await askFor(connection, "createJob", request, cancelOnAbort ? {} : { signal });
  const { jobId } = data;
  try {
    const job = await lastStatus(watch(connection, jobId, { signal }), (update) => teller.job(update));
    assertSucceeded(job);
    return { job, names: new Map(tasks.map((taskId, i) => [taskId, run.files[i]?.name ?? taskId])) };
  } catch (error) {
    if (cancelOnAbort && signal?.aborted === true) await cancel(connection, jobId);
    throw error instanceof SegmentationError ? withJob(error, jobId) : error;
  }
}

function assertKind(wanted: "image" | "video", type: string, name: string): void {
  const [kind] = type.split("/");
  if (kind === wanted || kind === "application") return;
  const call = kind === "video" ? "segmentVideo" : "segment";
  throw new SegmentationError("invalid_input", `${name} is ${type}: give it to client.${call} instead.`);
}

/** Cancels a job if the service can be reached; the caller has stopped caring. */
async function cancel(connection: Connection, jobId: string): Promise<void> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}/cancel`;
  await connection.ask({ method: "POST", path, status: 200 }).catch(() => {});
}

const withJob = (error: SegmentationError, jobId: string): SegmentationError =>
  Object.assign(error, { jobId });

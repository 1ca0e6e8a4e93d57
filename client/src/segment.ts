import { askFor } from "./api/api.ts";
import { SegmentationError } from "./errors.ts";
import type { Connection } from "./http/connection.ts";
import { mapParallel } from "./http/parallel.ts";
import { type Progress, progressReporter } from "./progress.ts";
import type { CreateJobRequest, ImageJobRequest, JobStatus, VideoJobRequest } from "./schemas.ts";
import { type Source, contentTypeOf } from "./upload/input.ts";
import type { SendFile } from "./upload/send-file.ts";
import { uploadSource } from "./upload/upload.ts";
import { assertSucceeded, lastStatus, watch } from "./wait/watch.ts";

export interface RunOptions {
  /** Aborts the call at any stage; it rejects with the signal's reason. A job that was created keeps running. */
  readonly signal?: AbortSignal | undefined;
  /** Whether an abort also cancels the job. */
  readonly cancelOnAbort?: boolean | undefined;
  /** Called with the progress whenever it changes. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

type Place = NonNullable<ImageJobRequest["regions"]>[number];

/**
 * Where to draw an object that words need not name, in pixels of the picture as viewers show it: a `box` around it,
 * [left, top, width, height], or `points` on it (label 1, foreground) and outside it (label 0, background).
 */
export type PictureRegion = (
  | { readonly box: NonNullable<Place["box"]>; readonly points?: never }
  | { readonly points: NonNullable<Place["points"]>; readonly box?: never }
) & {
  /** The index of its input, from 0 (the default). */
  readonly input?: number | undefined;
};

/** The options of a job of pictures, apart from its files and prompts. */
export type SegmentOptions = RunOptions &
  Omit<ImageJobRequest, "type" | "prompts" | "tasks" | "regions"> & {
    /** Each gives one mask, whose `region` is its place in this list. Prompts may be empty if each input has a region. */
    readonly regions?: readonly PictureRegion[] | undefined;
  };

/** The options of a job of a clip, apart from its file and prompts. */
export type SegmentVideoOptions = RunOptions & Omit<VideoJobRequest, "type" | "prompts" | "tasks">;

/** What a job is made of. */
interface Run {
  readonly sources: readonly Source[];
  readonly options: RunOptions;
  readonly type: CreateJobRequest["type"];
  /** The job's request, once its files have their taskIds. */
  readonly request: (tasks: string[]) => CreateJobRequest;
}

/** A job of pictures. @throws TypeError if a region names an input that does not exist */
export function imageRun(
  sources: readonly Source[],
  prompts: string | readonly string[],
  options: SegmentOptions,
): Run {
  const type = "image";
  const { signal, cancelOnAbort, onProgress, regions = [], ...fields } = options;
  const wanted = [prompts].flat();
  for (const { input = 0 } of regions)
    if (sources[input] === undefined)
      throw new TypeError(`A region refers to input ${input}, which does not exist.`);
  const request = (tasks: string[]): CreateJobRequest => ({
    ...fields,
    type,
    ...((wanted.length > 0 || regions.length === 0) && { prompts: wanted }),
    ...(regions.length > 0 && {
      regions: regions.map(({ input = 0, ...place }) => Object.assign(place, { taskId: tasks[input] ?? "" })),
    }),
    tasks,
  });
  return { sources, options: { signal, cancelOnAbort, onProgress }, type, request };
}

/** A job of a clip. */
export function videoRun(
  source: Source,
  prompts: string | readonly string[],
  options: SegmentVideoOptions,
): Run {
  const type = "video";
  const { signal, cancelOnAbort, onProgress, ...fields } = options;
  const request = (tasks: string[]): CreateJobRequest => ({
    ...fields,
    type,
    prompts: [prompts].flat(),
    tasks,
  });
  return { sources: [source], options: { signal, cancelOnAbort, onProgress }, type, request };
}

/** A job that has succeeded, and the names of its files by taskId. */
export interface EndedRun {
  readonly job: JobStatus;
  readonly names: ReadonlyMap<string, string>;
}

/** Uploads the files, creates the job, and waits until it has ended. @throws SegmentationError also if the job fails */
export async function runJob(connection: Connection, send: SendFile, run: Run): Promise<EndedRun> {
  const { signal, cancelOnAbort = false, onProgress } = run.options;
  for (const { from, name } of run.sources)
    if (from instanceof Blob) assertKind(run.type, await contentTypeOf(from), name);
  const reporter = progressReporter(
    onProgress,
    run.sources.map(({ from }) => (from instanceof Blob ? from.size : 0)),
  );
  const tasks = await mapParallel(run.sources, connection.parallel, signal, async (source, i, each) => {
    const onBytes = (bytes: number): void => reporter.uploaded(i, bytes);
    const { taskId, contentType, size } = await uploadSource(connection, send, source, {
      signal: each,
      onBytes,
    });
    assertKind(run.type, contentType, source.name);
    if (source.from instanceof URL) reporter.uploaded(i, size, size);
    return taskId;
  });
  // To be cancelled, a job has to be known, even if it is created at the moment of the abort.
  const { data } = await askFor(connection, "createJob", run.request(tasks), cancelOnAbort ? {} : { signal });
  const { jobId } = data;
  try {
    const job = await lastStatus(watch(connection, jobId, { signal }), (update) => reporter.job(update));
    assertSucceeded(job);
    return { job, names: new Map(tasks.map((taskId, i) => [taskId, run.sources[i]?.name ?? taskId])) };
  } catch (error) {
    // The service may be gone; the caller has stopped caring.
    if (cancelOnAbort && signal?.aborted) await askFor(connection, "cancelJob", { jobId }).catch(() => {});
    throw error instanceof SegmentationError ? withJob(error, jobId) : error;
  }
}

function assertKind(wanted: "image" | "video", type: string, name = "The input"): void {
  const [kind] = type.split("/");
  if (kind === wanted || kind === "application") return;
  const call = kind === "video" ? "segmentVideo" : "segment";
  throw new SegmentationError("invalid_input", `${name} is ${type}: give it to client.${call} instead.`);
}

const withJob = (error: SegmentationError, jobId: string): SegmentationError =>
  Object.assign(error, { jobId });

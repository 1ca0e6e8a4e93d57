import { askFor } from "./api/api.ts";
import { invalidInput } from "./errors.ts";
import { type Connection, jsonOf } from "./http/connection.ts";
import { mapParallel } from "./http/parallel.ts";
import { isObject } from "./http/shapes.ts";
import { unreadable } from "./http/read.ts";
import type { CallOptions } from "./options.ts";
import { type Progress, progressReporter } from "./progress.ts";
import type { CreateJobRequest, ImageJobRequest, VideoJobRequest } from "./schemas.ts";
import { type Source, contentTypeOf } from "./upload/input.ts";
import type { SendFile } from "./upload/send-file.ts";
import { uploadSource } from "./upload/upload.ts";

/** The options of a call that makes a job, without the job's own. */
export interface RunOptions extends CallOptions {
  /**
   * Names the call, for a later run of the program: within a day, a call with this key, the same files and the same
   * prompts is the same job. It has at most 120 characters. The client then fetches files at a URL, not the service.
   */
  readonly idempotencyKey?: string | undefined;
  /** True to cancel the job on an abort, too. */
  readonly cancelOnAbort?: boolean | undefined;
  /** Called with the progress at each change. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

type RegionOf<Request extends CreateJobRequest> = NonNullable<Request["regions"]>[number];
type Place = "box" | "points";

/** The fields of a request's region without its task, and exactly one of `box` and `points`. */
type Pointing<Region extends { readonly [Each in Place]?: unknown }> = Omit<Region, "taskId" | Place> &
  (
    | (Required<Pick<Region, "box">> & { readonly points?: never })
    | (Required<Pick<Region, "points">> & { readonly box?: never })
  );

/**
 * Marks an object to draw without words, in pixels of the displayed picture: a `box` around it, [left, top, width, height],
 * or `points` on it (label 1, foreground) and outside it (label 0, background). A region that `refines` a mask of an earlier
 * job has the same upload: its input is `{ taskId }`. A region with `findAll` is an example: the service finds every object
 * that looks like it.
 * @example { points: [{ x: 430, y: 200, label: 1 }], label: "saucer" }
 */
export type PictureRegion = Pointing<RegionOf<ImageJobRequest>> & {
  /** The index of its input, from 0 (the default). */
  readonly input?: number | undefined;
};

/**
 * Marks an object in a video at a time, in pixels of the displayed frames. The service tracks it from there, forward and
 * backward, until it is lost.
 * @example { points: [{ x: 400, y: 200, label: 1 }], timeSeconds: 0.5, label: "camel" }
 */
export type ClipRegion = Pointing<RegionOf<VideoJobRequest>>;

/** The options of a job of pictures, without its files and prompts. */
export type SegmentOptions = RunOptions &
  Omit<ImageJobRequest, "type" | "prompts" | "tasks" | "regions"> & {
    /**
     * Each gives one mask, with `findAll` all that it finds; `region` is its place in this list. Prompts may be empty if
     * each input has a region.
     */
    readonly regions?: readonly PictureRegion[] | undefined;
  };

/** The options of an embedding. */
export type EmbedOptions = RunOptions & Pick<ImageJobRequest, "continues">;

/** The options of a job of a video, without its file and prompts. */
export type SegmentVideoOptions = RunOptions &
  Omit<VideoJobRequest, "type" | "prompts" | "tasks" | "regions"> & {
    /** Objects to track without words, up to 10. Prompts may be empty then. */
    readonly regions?: readonly ClipRegion[] | undefined;
  };

/** Parts from which a job is made. */
export interface Run {
  readonly sources: readonly Source[];
  readonly options: RunOptions;
  readonly type: CreateJobRequest["type"];
  /** The job's request with the taskIds of its files. */
  readonly request: (tasks: string[]) => CreateJobRequest;
}

/** The options that are fields of the job's request. */
function fieldsOf<Options extends RunOptions>(options: Options) {
  const { signal: _s, timeoutMs: _t, maxRetries: _m, onRetry: _r, headers: _h, ...others } = options;
  const { idempotencyKey: _i, cancelOnAbort: _c, onProgress: _p, ...fields } = others;
  return fields;
}

/** @throws SegmentationError `invalid_input` if they are no strings */
function promptsOf(prompts: unknown): string[] {
  const all: unknown[] = [prompts].flat();
  if (all.every((each) => typeof each === "string")) return all;
  throw invalidInput("The prompts must be strings. With regions alone, give [].");
}

/** @throws SegmentationError `invalid_input` */
function assertRegions(regions: unknown): void {
  if (!Array.isArray(regions) || !regions.every(isObject))
    throw invalidInput("regions has to be an array of { box } or { points }.");
}

/** A job of pictures. @throws SegmentationError `invalid_input` if a region names an input that does not exist */
export function imageRun(
  sources: readonly Source[],
  prompts: string | readonly string[],
  options: SegmentOptions,
): Run {
  const type = "image";
  const { regions = [], ...fields } = fieldsOf(options);
  const wanted = promptsOf(prompts);
  const isAsked = regions.length > 0 || fields.formats?.includes("embedding") === true;
  assertRegions(regions);
  for (const { input = 0 } of regions)
    if (sources[input] === undefined)
      throw invalidInput(`A region refers to input ${input}, which does not exist.`);
  const request = (tasks: string[]): CreateJobRequest => ({
    ...fields,
    type,
    ...((wanted.length > 0 || !isAsked) && { prompts: wanted }),
    ...(regions.length > 0 && {
      regions: regions.map(({ input = 0, ...place }) => Object.assign(place, { taskId: tasks[input] ?? "" })),
    }),
    tasks,
  });
  return { sources, options, type, request };
}

/** A job of a video. */
export function videoRun(
  source: Source,
  prompts: string | readonly string[],
  options: SegmentVideoOptions,
): Run {
  const type = "video";
  const { regions = [], ...fields } = fieldsOf(options);
  const wanted = promptsOf(prompts);
  assertRegions(regions);
  const request = (tasks: string[]): CreateJobRequest => ({
    ...fields,
    type,
    ...((wanted.length > 0 || regions.length === 0) && { prompts: wanted }),
    ...(regions.length > 0 && {
      regions: regions.map((region) => Object.assign({}, region, { taskId: tasks[0] ?? "" })),
    }),
    tasks,
  });
  return { sources: [source], options, type, request };
}

/** The service takes a key of 128: uploads have this one with their number. */
const MOST_KEY_CHARACTERS = 120;

/** A job with its files. */
export interface Created {
  readonly jobId: string;
  /** The names of the files by taskId, and their sizes in bytes. */
  readonly names: ReadonlyMap<string, string>;
  readonly sizes: readonly number[];
}

/** Uploads the files and creates the job. @throws SegmentationError */
export async function createFrom(connection: Connection, send: SendFile, run: Run): Promise<Created> {
  const { sources, type, options } = run;
  const { cancelOnAbort = false, onProgress, ...call } = options;
  const { signal, idempotencyKey } = call;
  if (idempotencyKey !== undefined && idempotencyKey.length > MOST_KEY_CHARACTERS)
    throw invalidInput(
      `The idempotencyKey has more than ${MOST_KEY_CHARACTERS} characters. Use a shorter one.`,
    );
  // Does not upload for a request that cannot be sent.
  jsonOf(run.request(sources.map(() => "")));
  for (const { from, name } of sources)
    if (from instanceof Blob) assertKind(type, await contentTypeOf(from, name), name);
  const sizes = sources.map(({ from }) => (from instanceof Blob ? from.size : 0));
  const reporter = progressReporter(onProgress, sizes);
  const tasks = await mapParallel(sources, connection.parallel, signal, async (source, i, each) => {
    const { taskId, contentType, size } = await uploadSource(connection, send, source, {
      ...call,
      signal: each,
      idempotencyKey: idempotencyKey && `${idempotencyKey}:${i}`,
      onBytes: (bytes) => reporter.uploaded(i, bytes),
    });
    assertKind(type, contentType, source.name);
    if (source.from instanceof URL) reporter.uploaded(i, size, size);
    return taskId;
  });
  // An aborted creation may still have made the job: only a complete answer gives the id to cancel.
  const creating = cancelOnAbort ? { ...call, signal: undefined } : call;
  const { data, response } = await askFor(connection, "createJob", run.request(tasks), creating);
  const { jobId } = data;
  if (typeof jobId !== "string") throw unreadable(response, "names no job");
  if (cancelOnAbort && signal?.aborted) {
    await cancelQuietly(connection, jobId, call);
    throw signal.reason;
  }
  return { jobId, sizes, names: new Map(tasks.map((id, i) => [id, sources[i]?.name || id])) };
}

/** Cancels a job whose caller gave up, if the service is there. */
export async function cancelQuietly(
  connection: Connection,
  jobId: string,
  options: CallOptions,
): Promise<void> {
  const { timeoutMs, maxRetries, headers } = options;
  await askFor(connection, "cancelJob", { jobId }, { timeoutMs, maxRetries, headers }).catch(() => {});
}

function assertKind(wanted: "image" | "video", type: string, name = "The input"): void {
  const [kind] = type.split("/");
  if (kind === wanted || kind === "application") return;
  throw invalidInput(
    `${name} is ${type}: give it to client.${kind === "video" ? "segmentVideo" : "segment"} instead.`,
  );
}

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

/** The options of a call that makes a job, apart from the job's own. */
export interface RunOptions extends CallOptions {
  /**
   * Names the call, for a later run of the program: within a day, a call with this key, the same files and the same prompts is
   * the same job. It has at most 120 characters. Files at a URL are then fetched by the client, not by the service.
   */
  readonly idempotencyKey?: string | undefined;
  /** Whether an abort also cancels the job. */
  readonly cancelOnAbort?: boolean | undefined;
  /** Called with the progress whenever it changes. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

type RegionOf<Request extends CreateJobRequest> = NonNullable<Request["regions"]>[number];
type Place = "box" | "points";

/** What a region of a request has apart from its task, and exactly one of `box` and `points`. */
type Pointing<Region extends { readonly [Each in Place]?: unknown }> = Omit<Region, "taskId" | Place> &
  (
    | (Required<Pick<Region, "box">> & { readonly points?: never })
    | (Required<Pick<Region, "points">> & { readonly box?: never })
  );

/**
 * Where to draw an object that words need not name, in pixels of the picture as viewers show it: a `box` around it,
 * [left, top, width, height], or `points` on it (label 1, foreground) and outside it (label 0, background). A region that `refines` a
 * mask of an earlier job is of the same upload: its input is `{ taskId }`.
 * @example { points: [{ x: 430, y: 200, label: 1 }], label: "saucer" }
 */
export type PictureRegion = Pointing<RegionOf<ImageJobRequest>> & {
  /** The index of its input, from 0 (the default). */
  readonly input?: number | undefined;
};

/**
 * Where an object is in a clip, in pixels of its frames as viewers show them, and when. It is followed from there, forwards and
 * backwards, until it is lost.
 * @example { points: [{ x: 400, y: 200, label: 1 }], timeSeconds: 0.5, label: "camel" }
 */
export type ClipRegion = Pointing<RegionOf<VideoJobRequest>>;

/** The options of a job of pictures, apart from its files and prompts. */
export type SegmentOptions = RunOptions &
  Omit<ImageJobRequest, "type" | "prompts" | "tasks" | "regions"> & {
    /** Each gives one mask, whose `region` is its place in this list. Prompts may be empty if each input has a region. */
    readonly regions?: readonly PictureRegion[] | undefined;
  };

/** The options of a job of a clip, apart from its file and prompts. */
export type SegmentVideoOptions = RunOptions &
  Omit<VideoJobRequest, "type" | "prompts" | "tasks" | "regions"> & {
    /** Objects to follow, up to 10, that words need not name. Prompts may be empty then. */
    readonly regions?: readonly ClipRegion[] | undefined;
  };

/** What a job is made of. */
export interface Run {
  readonly sources: readonly Source[];
  readonly options: RunOptions;
  readonly type: CreateJobRequest["type"];
  /** The job's request, once its files have their taskIds. */
  readonly request: (tasks: string[]) => CreateJobRequest;
}

/** The options that are fields of the job's request. */
function fieldsOf<Options extends RunOptions>(options: Options) {
  const { signal: _s, timeoutMs: _t, maxRetries: _m, onRetry: _r, headers: _h, ...others } = options;
  const { idempotencyKey: _i, cancelOnAbort: _c, onProgress: _p, ...fields } = others;
  return fields;
}

/** @throws SegmentationError `invalid_input` if they are no texts */
function promptsOf(prompts: unknown): string[] {
  const all: unknown[] = [prompts].flat();
  if (all.every((each) => typeof each === "string")) return all;
  throw invalidInput("The prompts have to be texts. With regions alone, give [].");
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
  assertRegions(regions);
  for (const { input = 0 } of regions)
    if (sources[input] === undefined)
      throw invalidInput(`A region refers to input ${input}, which does not exist.`);
  const request = (tasks: string[]): CreateJobRequest => ({
    ...fields,
    type,
    ...((wanted.length > 0 || regions.length === 0) && { prompts: wanted }),
    ...(regions.length > 0 && {
      regions: regions.map(({ input = 0, ...place }) => Object.assign(place, { taskId: tasks[input] ?? "" })),
    }),
    tasks,
  });
  return { sources, options, type, request };
}

/** A job of a clip. */
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

/** A job that was created from files. */
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
  // What cannot be sent in the end is not uploaded for.
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
  // To be canceled, a job has to be known, even if it is created at the moment of the abort.
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

/** Cancels a job whose caller has stopped caring, if the service is there. */
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

import { askFor } from "./api/api.ts";
import { invalidInput, lacking, SegmentationError } from "./errors.ts";
import { checked } from "./http/check-options.ts";
import type { Connection } from "./http/connection.ts";
import type { CallOptions } from "./options.ts";
import { progressReporter } from "./progress.ts";
import { annotationsOf, type AnnotationsToSave, saveAnnotations } from "./results/annotations.ts";
import { JobFiles } from "./results/files.ts";
import { ImageResult } from "./results/image-result.ts";
import { loadPictures, loadVideo } from "./results/load.ts";
import type { Mask } from "./results/mask.ts";
import type { Picture } from "./results/picture.ts";
import type { VideoResult } from "./results/video-result.ts";
import type { JobAnnotations, JobResult, JobStatus, SavedAnnotations } from "./schemas.ts";
import { cancelQuietly, type Created, type RunOptions } from "./segment.ts";
import { type JobUpdate, assertSucceeded, hasEnded, lastStatus, problemError, watch } from "./wait/watch.ts";

/** The options of waiting for a job's result. */
export type ResultOptions = Omit<RunOptions, "idempotencyKey">;

/** A picture of a job whose task has ended. Its masks are fetched on request, and not kept. */
export class EndedPicture {
  readonly taskId: string;
  /** The file's name, or the taskId of one without. */
  readonly name: string;
  /** The reason why the picture failed, or the prompts that it could not serve: a code, a colon and a sentence. */
  readonly problem: string | null;
  /**
   * Fetches the picture with its masks; waits until the whole job has succeeded.
   * @throws SegmentationError with the picture's problem if it has failed, or with the job's
   */
  readonly load: (options?: CallOptions) => Promise<Picture>;

  readonly #hasFailed: boolean;

  constructor(task: JobStatus["tasks"][number], name: string, load: EndedPicture["load"]) {
    this.taskId = task.taskId;
    this.name = name;
    this.problem = task.error;
    this.load = load;
    this.#hasFailed = task.status === "failed";
  }

  /** The picture's masks, none if it failed; waits as `load` does. */
  async masks(options?: CallOptions): Promise<readonly Mask[]> {
    return this.#hasFailed ? [] : (await this.load(options)).masks;
  }
}

/**
 * A job of the service, which keeps running without this object. Keep its `jobId`: `client.job(jobId)` is the same job
 * in another process, for as long as the service keeps it.
 */
export class JobHandle<Result = ImageResult | VideoResult> {
  readonly jobId: string;
  readonly #connection: Connection;
  readonly #created: Created;
  readonly #present: (result: ImageResult | VideoResult) => Result;
  #opened: readonly [JobFiles, JobResult] | undefined;

  constructor(
    connection: Connection,
    created: Created,
    present: (result: ImageResult | VideoResult) => Result,
  ) {
    this.jobId = created.jobId;
    this.#connection = connection;
    this.#created = created;
    this.#present = present;
  }

  /** The job's status now. */
  async status(options: CallOptions = {}): Promise<JobStatus> {
    return (await askFor(this.#connection, "retrieveJob", { jobId: this.jobId }, options)).data;
  }

  /** Yields the job's progress at each change, until the job has ended. */
  events(options: CallOptions = {}): AsyncIterable<JobUpdate> {
    return watch(this.#connection, this.jobId, options);
  }

  /** Cancels the job: unfinished work is not charged. Returns its status. */
  async cancel(options: CallOptions = {}): Promise<JobStatus> {
    return (await askFor(this.#connection, "cancelJob", { jobId: this.jobId }, options)).data;
  }

  /**
   * Waits until the job has ended, and fetches its results.
   * @throws SegmentationError with the job's problem if it has failed
   */
  async result(options: ResultOptions = {}): Promise<Result> {
    const { cancelOnAbort = false, onProgress, ...call } = checked(options);
    const { sizes, names } = this.#created;
    const { jobId } = this;
    const reporter = progressReporter(onProgress, [...sizes], [...sizes]);
    try {
      const job = await lastStatus(this.events(call), (update) => reporter.job(update));
      assertSucceeded(job);
      const [files, { manifest }] = await this.#open(call);
      return this.#present(
        manifest.type === "image"
          ? new ImageResult(
              files,
              job,
              await loadPictures(files, manifest, job.tasks, names, call.signal),
              manifest.prompts,
            )
          : await loadVideo(files, manifest, job, names, call.signal),
      );
    } catch (error) {
      if (cancelOnAbort && call.signal?.aborted) await cancelQuietly(this.#connection, jobId, call);
      throw error instanceof SegmentationError ? Object.assign(error, { jobId }) : error;
    }
  }

  /** Fetches people's corrections of the result, with their version. @throws SegmentationError */
  async annotations(options: CallOptions = {}): Promise<JobAnnotations> {
    return await annotationsOf(this.#connection, this.jobId, options);
  }

  /**
   * Replaces the corrections by a document that is based on a version of them.
   * @throws SegmentationError `version_conflict` with `currentVersion` if another client has saved since
   */
  async saveAnnotations(based: AnnotationsToSave, options: CallOptions = {}): Promise<SavedAnnotations> {
    return await saveAnnotations(this.#connection, this.jobId, based, options);
  }

  /**
   * Yields each picture as soon as its task has ended, in success or not, in that order. Memory stays flat: a picture's
   * `masks()` fetches its masks, and waits for the whole job.
   */
  async *pictures(options: CallOptions = {}): AsyncGenerator<EndedPicture, void> {
    const seen = new Set<string>();
    for await (const { job } of this.events(options)) {
      if (job.type !== "image")
        throw invalidInput("This is a video's job: use result().", { jobId: job.jobId });
      for (const task of job.tasks) {
        if (!hasEnded(task) || seen.has(task.taskId)) continue;
        seen.add(task.taskId);
        const name = this.#created.names.get(task.taskId) ?? task.taskId;
        yield new EndedPicture(task, name, (call = {}) => this.#picture(task, call));
      }
    }
  }

  /** A picture with its masks. @throws SegmentationError with its problem, or with the job's */
  async #picture(task: JobStatus["tasks"][number], options: CallOptions): Promise<Picture> {
    if (task.status === "failed") throw problemError(task.error, this.jobId);
    if (this.#opened === undefined) assertSucceeded(await lastStatus(this.events(options)));
    const [files, { manifest }] = await this.#open(options);
    const { names } = this.#created;
    const [picture] =
      manifest.type === "image" ? await loadPictures(files, manifest, [task], names, options.signal) : [];
    if (picture === undefined) throw lacking("picture", this.jobId);
    return picture;
  }

  async #open(options: CallOptions): Promise<readonly [JobFiles, JobResult]> {
    return (this.#opened ??= await JobFiles.open(this.#connection, this.jobId, options));
  }
}

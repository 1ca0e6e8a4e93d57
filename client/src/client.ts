import { createApi } from "./api/api.ts";
import type { Api } from "./api/types.ts";
import { Connection } from "./http/connection.ts";
import { readBlob } from "./http/read.ts";
import type { ClientOptions } from "./options.ts";
import { JobFiles } from "./results/files.ts";
import { ImageResult, loadPictures } from "./results/image-result.ts";
import { VideoResult, loadVideo } from "./results/video-result.ts";
import type { JobStatus } from "./schemas.ts";
import {
  type EndedRun,
  type SegmentOptions,
  type SegmentVideoOptions,
  imageRun,
  runJob,
  videoRun,
} from "./segment.ts";
import { type Input, type Source, sourceOf } from "./upload/input.ts";
import { type SendFile, sendFile } from "./upload/send-file.ts";
import { uploadSource } from "./upload/upload.ts";
import { type ReadyArchive, waitForArchive } from "./wait/archive.ts";
import { type JobUpdate, assertSucceeded, lastStatus, watch } from "./wait/watch.ts";

/** What may end a call early. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

export interface UploadOptions extends Abortable {
  /** Called with the number of bytes that are gone. */
  readonly onProgress?: ((uploadedBytes: number) => void) | undefined;
}

/** A client of a segmentation service. Every method rejects with a `SegmentationError`, or with the reason of its signal. */
export class SegmentationClient {
  /** Every operation of the service by its name in the contract. */
  readonly api: Api;
  protected readonly connection: Connection;

  constructor(options: ClientOptions) {
    this.connection = new Connection(options);
    this.api = createApi(this.connection);
  }

  /**
   * Finds what the prompts describe in a picture, or in up to 100: uploads them, creates a job, waits for it, and fetches the
   * masks. If one of several pictures fails, its `problem` says why; the call fails if all of them do.
   */
  async segment(
    input: Input | readonly Input[],
    prompts: string | readonly string[],
    options: SegmentOptions = {},
  ): Promise<ImageResult> {
    const { signal } = options;
    const sources = await Promise.all([input].flat().map((each: Input) => this.open(each)));
    const run = imageRun(sources, prompts, options);
    return ofKind(ImageResult, await this.#result(await runJob(this.connection, this.send, run), signal));
  }

  /** Finds what the prompts describe in a clip, and follows it from frame to frame. */
  async segmentVideo(
    input: Input,
    prompts: string | readonly string[],
    options: SegmentVideoOptions = {},
  ): Promise<VideoResult> {
    const { signal } = options;
    const run = videoRun(await this.open(input), prompts, options);
    return ofKind(VideoResult, await this.#result(await runJob(this.connection, this.send, run), signal));
  }

  /**
   * The result of a job that was created elsewhere or earlier; waits for it if it has not ended.
   * @throws SegmentationError with the job's problem if it has failed
   */
  async result(jobId: string, { signal }: Abortable = {}): Promise<ImageResult | VideoResult> {
    const job = await this.waitForJob(jobId, { signal });
    assertSucceeded(job);
    return await this.#result({ job, names: new Map() }, signal);
  }

  /** Yields a job's progress, whenever it changes, until the job has ended. */
  watchJob(jobId: string, options: Abortable = {}): AsyncIterable<JobUpdate> {
    return watch(this.connection, jobId, options);
  }

  /** Waits until a job has ended, in success or not. */
  async waitForJob(jobId: string, options: Abortable = {}): Promise<JobStatus> {
    return await lastStatus(this.watchJob(jobId, options));
  }

  /** Asks for the zip of a job's files, and waits until it can be downloaded. */
  async archive(jobId: string, options: Abortable = {}): Promise<ReadyArchive> {
    return await waitForArchive(this.connection, jobId, options);
  }

  /** Uploads a picture or a clip, and gives the taskId that a job takes. */
  async upload(input: Input, { signal, onProgress }: UploadOptions = {}): Promise<string> {
    const onBytes = (bytes: number): void => onProgress?.(bytes);
    const source = await this.open(input);
    return (await uploadSource(this.connection, this.send, source, { signal, onBytes })).taskId;
  }

  /** Downloads a signed URL. */
  async download(url: string, { signal }: Abortable = {}): Promise<Blob> {
    return await this.connection.download(url, readBlob, signal);
  }

  /** Opens an input; where there is a file system, its paths too. */
  protected async open(input: Input): Promise<Source> {
    return await Promise.resolve(sourceOf(input));
  }

  /** Sends a file to the storage. */
  protected get send(): SendFile {
    return sendFile;
  }

  async #result(
    { job, names }: EndedRun,
    signal: AbortSignal | undefined,
  ): Promise<ImageResult | VideoResult> {
    const [files, { manifest }] = await JobFiles.open(this.connection, job.jobId, signal);
    return manifest.type === "image"
      ? new ImageResult(files, job, await loadPictures(this.connection, files, manifest, job, names, signal))
      : await loadVideo(files, manifest, job, names, signal);
  }
}

/** The result of a job that was created as one of this kind. */
function ofKind<T>(kind: new (...given: never[]) => T, result: object): T {
  if (result instanceof kind) return result;
  throw new TypeError("The job has a different type.");
}

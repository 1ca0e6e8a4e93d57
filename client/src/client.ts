import { createApi } from "./api/api.ts";
import type { Api } from "./api/operations.ts";
import { lacking } from "./errors.ts";
import { checked } from "./http/check-options.ts";
import { Connection } from "./http/connection.ts";
import { readBlob } from "./http/read.ts";
import { JobHandle, type ResultOptions } from "./job.ts";
import type { CallOptions, ClientOptions, RequestOptions } from "./options.ts";
import { type Embedding, embeddingOf } from "./results/embedding.ts";
import { ImageResult } from "./results/image-result.ts";
import { VideoResult } from "./results/video-result.ts";
import type { JobStatus } from "./schemas.ts";
import {
  createFrom,
  type EmbedOptions,
  imageRun,
  type Run,
  type SegmentOptions,
  type SegmentVideoOptions,
  videoRun,
} from "./segment.ts";
import { type Input, type Source, sourceOf } from "./upload/input.ts";
import { type SendFile, sendFile } from "./upload/send-file.ts";
import { uploadSource } from "./upload/upload.ts";
import { type ReadyArchive, waitForArchive } from "./wait/archive.ts";
import { type JobUpdate, lastStatus, watch } from "./wait/watch.ts";

/** The options of an upload. With the same `idempotencyKey`, a file is the same upload within a day. */
export interface UploadOptions extends RequestOptions {
  /** Called with the number of bytes sent so far. */
  readonly onProgress?: ((uploadedBytes: number) => void) | undefined;
}

type Prompts = string | readonly string[];

/** Turns results into those of a platform. */
interface Platform<Images, Video> {
  readonly images: (result: ImageResult) => Images;
  readonly video: (result: VideoResult) => Video;
}

/** A client of a segmentation service, whose results a platform may extend. */
export abstract class Client<Images extends ImageResult, Video extends VideoResult> {
  /** Every operation of the service by its name in the contract. */
  readonly api: Api;
  protected readonly connection: Connection;
  readonly #platform: Platform<Images, Video>;

  protected constructor(options: ClientOptions, platform: Platform<Images, Video>) {
    this.connection = new Connection(options);
    this.api = createApi(this.connection);
    this.#platform = platform;
  }

  /**
   * Finds what the prompts describe in a picture, or in up to 100: uploads them, creates a job, waits for it, and fetches the
   * masks. If one of several pictures fails, its `problem` says why; the call fails if all of them do.
   * @example
   * const result = await client.segment("photo.jpg", ["cat", "chair"]);
   * for (const mask of result.masks) console.log(mask.prompt, mask.confidence, mask.box);
   */
  async segment(
    input: Input | readonly Input[],
    prompts: Prompts,
    options: SegmentOptions = {},
  ): Promise<Images> {
    return await (await this.submit(input, prompts, options)).result(options);
  }

  /**
   * Computes the features of a picture, from which the decoder of `segmentation-client/interactive` draws masks without the
   * service. It costs a unit, like a picture.
   * @example
   * const embedding = await client.embed("photo.jpg");
   */
  async embed(input: Input, options: EmbedOptions = {}): Promise<Embedding> {
    const job = await this.submit(input, [], { ...options, formats: ["embedding"] });
    return await embeddingOf(await job.result(options), options.signal);
  }

  /** Finds what the prompts describe in a video, and tracks it from frame to frame. */
  async segmentVideo(input: Input, prompts: Prompts, options: SegmentVideoOptions = {}): Promise<Video> {
    return await (await this.submitVideo(input, prompts, options)).result(options);
  }

  /**
   * As `segment`, without waiting: uploads the pictures and creates the job.
   * @example
   * const job = await client.submit(["a.jpg", "b.jpg"], "cat", { idempotencyKey: "order-17" });
   * for await (const picture of job.pictures()) console.log(picture.name, await picture.masks());
   */
  async submit(
    input: Input | readonly Input[],
    prompts: Prompts,
    options: SegmentOptions = {},
  ): Promise<JobHandle<Images>> {
    const { signal } = checked(options);
    const sources = await Promise.all([input].flat().map((each: Input) => this.open(each, signal)));
    return await this.#create(imageRun(sources, prompts, options), (result) =>
      this.#platform.images(ofKind(ImageResult, result)),
    );
  }

  /** As `segmentVideo`, without waiting: uploads the video and creates the job. */
  async submitVideo(
    input: Input,
    prompts: Prompts,
    options: SegmentVideoOptions = {},
  ): Promise<JobHandle<Video>> {
    const { signal } = checked(options);
    return await this.#create(videoRun(await this.open(input, signal), prompts, options), (result) =>
      this.#platform.video(ofKind(VideoResult, result)),
    );
  }

  /** A job from elsewhere or earlier. Asks for nothing yet. @param names of its files, by taskId */
  job(jobId: string, names: ReadonlyMap<string, string> = new Map()): JobHandle<Images | Video> {
    const { images, video } = this.#platform;
    return new JobHandle<Images | Video>(this.connection, { jobId, names, sizes: [] }, (result) =>
      result instanceof ImageResult ? images(result) : video(result),
    );
  }

  /**
   * The result of a job from elsewhere or earlier; waits until it has ended.
   * @throws SegmentationError with the job's problem if it has failed
   */
  async result(jobId: string, options: ResultOptions = {}): Promise<Images | Video> {
    return await this.job(jobId).result(options);
  }

  /** Yields a job's progress at each change, until the job has ended. */
  watchJob(jobId: string, options: CallOptions = {}): AsyncIterable<JobUpdate> {
    return watch(this.connection, jobId, options);
  }

  /** Waits until a job has ended, in success or not. */
  async waitForJob(jobId: string, options: CallOptions = {}): Promise<JobStatus> {
    return await lastStatus(this.watchJob(jobId, options));
  }

  /** Asks for the zip of a job's files, and waits until it is ready. */
  async archive(jobId: string, options: CallOptions = {}): Promise<ReadyArchive> {
    return await waitForArchive(this.connection, jobId, options);
  }

  /** Uploads a picture or a video, and gives its taskId for a job. */
  async upload(input: Input, options: UploadOptions = {}): Promise<string> {
    const { onProgress, ...call } = checked(options);
    const onBytes = (bytes: number): void => onProgress?.(bytes);
    const source = await this.open(input, call.signal);
    return (await uploadSource(this.connection, this.send, source, { ...call, onBytes })).taskId;
  }

  /** Downloads a signed URL. */
  async download(url: string, options: CallOptions = {}): Promise<Blob> {
    return await this.connection.download(url, readBlob, options);
  }

  /** Opens an input; where there is a file system, its paths too. */
  protected async open(input: Input, signal?: AbortSignal): Promise<Source> {
    return await sourceOf(input, signal);
  }

  /** Sends a file to the storage. */
  protected get send(): SendFile {
    return sendFile;
  }

  async #create<Result>(
    run: Run,
    present: (result: ImageResult | VideoResult) => Result,
  ): Promise<JobHandle<Result>> {
    return new JobHandle(this.connection, await createFrom(this.connection, this.send, run), present);
  }
}

/** A client of a segmentation service. Every method rejects with a `SegmentationError`, or with the reason of its signal. */
export class SegmentationClient extends Client<ImageResult, VideoResult> {
  /** @throws SegmentationError `invalid_input` without an address or a credential, in the options or the environment */
  constructor(options: ClientOptions = {}) {
    super(options, { images: (result) => result, video: (result) => result });
  }
}

/** Checks that a result has the type of its job. */
function ofKind<T>(kind: new (...given: never[]) => T, result: ImageResult | VideoResult): T {
  if (result instanceof kind) return result;
  throw lacking(result instanceof ImageResult ? "video" : "picture", result.jobId);
}

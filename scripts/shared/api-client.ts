import {
  type ImageJobRequest,
  type JobStatus,
  SegmentationClient,
  SegmentationError,
  type VideoJobRequest,
} from "segmentation-client/node";
import { ErrorObject } from "../../src/shared/api/error.ts";
import type { Operation } from "../../src/shared/api/operation.ts";
import { OPERATIONS } from "../../src/operations.ts";
import { ImageJobResult, VideoJobResult } from "../../src/jobs/contract/result.ts";

export { SegmentationError as ApiError };

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

export type ImageJob = Omit<ImageJobRequest, "type">;
export type VideoJob = Omit<VideoJobRequest, "type">;

export interface WaitOptions {
  /** Called with every change; `progress` is the finished share of the job's work, from 0 to 1. */
  readonly onAnswer?: (job: JobStatus, progress: number) => void;
}

/**
 * The client library for the project's commands and tests: checks each answer against the contract, and `signal` ends every call.
 * Methods reject with an `ApiError` for an error response.
 */
export function createClient({ baseUrl, apiKey, signal }: ClientOptions) {
  const client = new SegmentationClient({ baseUrl, apiKey, fetch: checkedFetch });
  const options = { signal };
  const result = async (jobId: string) => await client.api.retrieveJobResult({ jobId }, options);

  return {
    /** Uploads a file's bytes, or the file at a path, and returns its taskId. */
    upload: async (file: Uint8Array<ArrayBuffer> | Blob | string, type?: string): Promise<string> =>
      await client.upload(
        file instanceof Blob ? file.slice(0, file.size, type) : type ? new Blob([file], { type }) : file,
        options,
      ),
    createImageJob: async (job: ImageJob) => await client.api.createJob({ type: "image", ...job }, options),
    createVideoJob: async (job: VideoJob) => await client.api.createJob({ type: "video", ...job }, options),
    retrieveJob: async (jobId: string) => await client.api.retrieveJob({ jobId }, options),
    listJobs: async () => await client.api.listJobs({}, options),
    /** Returns a job's results, with its masks. */
    result: async (jobId: string) => await client.result(jobId, options),
    retrieveJobResult: async (jobId: string) => ImageJobResult.parse(await result(jobId)),
    retrieveVideoJobResult: async (jobId: string) => VideoJobResult.parse(await result(jobId)),
    /** Waits until a job has ended, successfully or not. */
    async waitForJob(jobId: string, { onAnswer }: WaitOptions = {}): Promise<JobStatus> {
      for await (const { job, progress } of client.watchJob(jobId, options)) {
        onAnswer?.(job, progress);
        if (job.status === "success" || job.status === "failed") return job;
      }
      throw new Error(`Watching the job ${jobId} stopped before it ended.`);
    },
    /** Requests an archive and waits until it is ready. */
    waitForArchive: async (jobId: string) => await client.archive(jobId, options),
    download: async (url: string): Promise<Uint8Array<ArrayBuffer>> =>
      new Uint8Array(await (await client.download(url, options)).arrayBuffer()),
    downloadTo: async (path: string, url: string): Promise<void> =>
      await client.downloadTo(path, url, options),
  };
}

export type ApiClient = ReturnType<typeof createClient>;

const operations: readonly Operation[] = Object.values(OPERATIONS);

function operationOf(method: string, path: string): Operation | undefined {
  return operations.find(
    (operation) =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}

/** `fetch` that checks each JSON answer of the API against the contract. @throws ZodError if an answer differs */
const checkedFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  const operation = operationOf(init?.method ?? "GET", pathname);
  if (operation === undefined || response.status === 204) return response;
  if (response.ok && operation.contentType !== undefined) return response;
  // A proxy's answer is not JSON; the library judges it.
  if (!(response.headers.get("content-type") ?? "").startsWith("application/json")) return response;
  const schema = response.ok ? operation.answer : ErrorObject;
  schema?.parse(await response.clone().json());
  return response;
};

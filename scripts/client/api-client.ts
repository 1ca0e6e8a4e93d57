import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { ArchiveDownload } from "../../src/contract/archive.ts";
import { ErrorObject } from "../../src/contract/error.ts";
import {
  AcceptedJob,
  type ImageJobRequest,
  JobList,
  JobStatus,
  type VideoJobRequest,
} from "../../src/contract/job.ts";
import { ImageJobResult, VideoJobResult } from "../../src/contract/result.ts";
import { Upload } from "../../src/contract/upload.ts";

/** An error response of the API, with its error object. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: ErrorObject;

  constructor(status: number, body: ErrorObject) {
    super(`${status} ${body.error}: ${body.message ?? "no message"}`);
    this.status = status;
    this.body = body;
  }
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

export type ImageJob = Omit<z.input<typeof ImageJobRequest>, "type">;
export type VideoJob = Omit<z.input<typeof VideoJobRequest>, "type">;

export interface WaitOptions {
  /** Called with every response; `progress` is the share of the job's work that is done, from 0 to 1. */
  readonly onAnswer?: (job: JobStatus, progress: number) => void;
  /** The longest wait for a response, which comes before it only at the job's end. */
  readonly longestWaitSeconds?: number;
}

const LONGEST_WAIT_SECONDS = 10;

const PROGRESS_HEADER = "x-job-progress";
const Progress = z.string().transform(Number).pipe(z.number().min(0).max(1));

const jobPath = (jobId: string): string => `/v1/jobs/${encodeURIComponent(jobId)}`;

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const body = ErrorObject.safeParse(parseJson(text));
  if (body.success) return new ApiError(response.status, body.data);
  return new ApiError(response.status, { error: "unreadable_answer", message: text.slice(0, 300) });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * A client of the public API that knows only its contract and checks every response against it.
 * Methods reject with an `ApiError` for an error response.
 */
export function createClient({ baseUrl, apiKey, signal }: ClientOptions) {
  async function send(
    method: "GET" | "POST",
    path: string,
    body?: object,
    further: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { "content-type": "application/json" }),
        ...further,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async function call<T extends z.ZodType>(schema: T, method: "GET" | "POST", path: string, body?: object) {
    const response = await send(method, path, body);
    return schema.parse(await response.json());
  }

  /** Gets an upload URL, PUTs the file there (streaming a Blob), and returns the taskId. */
  async function upload(file: Uint8Array<ArrayBuffer> | Blob, contentType: string): Promise<string> {
    const { uploadUrl, taskId } = await call(Upload, "POST", "/v1/uploads/presign", { contentType });
    const response = await fetch(uploadUrl, {
      method: "PUT",
      headers: { "content-type": contentType },
      body: file,
      // If it could follow a redirect, undici would keep the whole body in memory (nodejs/undici#4058).
      redirect: "error",
      ...(signal && { signal }),
    });
    if (!response.ok)
      throw new Error(
        `The storage refused the upload with status ${response.status}. Try again. It answered: ${await response.text()}`,
      );
    return taskId;
  }

  /** Gets what the service holds until it has ended, or for so long. */
  const getHeld = (path: string, seconds: number): Promise<Response> =>
    send("GET", path, undefined, { prefer: `wait=${seconds}` });

  /** Waits for a job until it has ended: asks once, then lets the service answer later and later. */
  async function waitForJob(jobId: string, options: WaitOptions = {}): Promise<JobStatus> {
    const { onAnswer, longestWaitSeconds = LONGEST_WAIT_SECONDS } = options;
    for (let seconds = 0; ; seconds = Math.min(seconds + 1, longestWaitSeconds)) {
      const response = await (seconds === 0 ? send("GET", jobPath(jobId)) : getHeld(jobPath(jobId), seconds));
      const job = JobStatus.parse(await response.json());
      onAnswer?.(job, Progress.parse(response.headers.get(PROGRESS_HEADER)));
      if (job.status === "success" || job.status === "failed") return job;
    }
  }

  /** Requests an archive and waits until it is ready or has failed. */
  async function waitForArchive(jobId: string): Promise<ArchiveDownload> {
    const path = `${jobPath(jobId)}/download`;
    let archive = await call(ArchiveDownload, "POST", path);
    while (archive.status === "pending" || archive.status === "processing") {
      const response = await getHeld(path, LONGEST_WAIT_SECONDS);
      archive = ArchiveDownload.parse(await response.json());
    }
    return archive;
  }

  async function fetchSigned(url: string): Promise<Response> {
    const response = await fetch(url, signal && { signal });
    if (!response.ok)
      throw new Error(
        `The storage refused the download with status ${response.status}. Try again. It answered: ${await response.text()}`,
      );
    return response;
  }

  /** Downloads a signed URL. */
  async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await fetchSigned(url)).arrayBuffer());
  }

  /** Streams a signed URL to a file. */
  async function downloadTo(path: string, url: string): Promise<void> {
    const { body } = await fetchSigned(url);
    await writeFile(path, body ?? "");
  }

  return {
    upload,
    createImageJob: (job: ImageJob) => call(AcceptedJob, "POST", "/v1/jobs", { type: "image", ...job }),
    createVideoJob: (job: VideoJob) => call(AcceptedJob, "POST", "/v1/jobs", { type: "video", ...job }),
    retrieveJob: (jobId: string) => call(JobStatus, "GET", jobPath(jobId)),
    listJobs: () => call(JobList, "GET", "/v1/jobs"),
    retrieveJobResult: (jobId: string) => call(ImageJobResult, "GET", `${jobPath(jobId)}/result`),
    retrieveVideoJobResult: (jobId: string) => call(VideoJobResult, "GET", `${jobPath(jobId)}/result`),
    waitForJob,
    waitForArchive,
    download,
    downloadTo,
  };
}

export type ApiClient = ReturnType<typeof createClient>;

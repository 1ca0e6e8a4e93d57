import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ArchiveDownload } from "../../src/contract/archive.ts";
import { ErrorObject } from "../../src/contract/error.ts";
import { AcceptedJob, type ImageJobRequest, JobList, JobStatus } from "../../src/contract/job.ts";
import { ImageJobResult } from "../../src/contract/result.ts";
import { Upload } from "../../src/contract/upload.ts";

/** An answer of the API that is not a success, with its error object. */
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

export type ImageJob = Pick<ImageJobRequest, "prompts" | "tasks"> & Partial<Omit<ImageJobRequest, "type">>;

const POLL_FIRST_MS = 500;
const POLL_LONGEST_MS = 10_000;

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
 * A client of the public API that knows nothing but its contract: every answer is checked against it.
 * Methods reject with an `ApiError` for an error answer.
 */
export function createClient({ baseUrl, apiKey, signal }: ClientOptions) {
  async function call<T extends z.ZodType>(schema: T, method: "GET" | "POST", path: string, body?: object) {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return schema.parse(await response.json());
  }

  /** Asks for an upload address, and PUTs the file there; gives the taskId. */
  async function upload(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<string> {
    const { uploadUrl, taskId } = await call(Upload, "POST", "/v1/uploads/presign", { contentType });
    const response = await fetch(uploadUrl, {
      method: "PUT",
      headers: { "content-type": contentType },
      body: bytes,
      ...(signal && { signal }),
    });
    if (!response.ok)
      throw new Error(`The upload was refused with ${response.status}: ${await response.text()}`);
    return taskId;
  }

  /** Polls a job until it ended, more slowly as time goes by; `onStatus` sees every answer. */
  async function waitForJob(jobId: string, onStatus?: (job: JobStatus) => void): Promise<JobStatus> {
    for (let pause = POLL_FIRST_MS; ; pause = Math.min(pause * 1.5, POLL_LONGEST_MS)) {
      const job = await call(JobStatus, "GET", jobPath(jobId));
      onStatus?.(job);
      if (job.status === "success" || job.status === "failed") return job;
      await sleep(pause, undefined, signal && { signal });
    }
  }

  /** Has the archive built and waits as long as the service asks to, until it is ready or failed. */
  async function waitForArchive(jobId: string): Promise<ArchiveDownload> {
    let archive = await call(ArchiveDownload, "POST", `${jobPath(jobId)}/download`);
    while (archive.status === "pending" || archive.status === "processing") {
      await sleep((archive.retryAfterSeconds ?? 2) * 1_000, undefined, signal && { signal });
      archive = await call(ArchiveDownload, "GET", `${jobPath(jobId)}/download`);
    }
    return archive;
  }

  /** Fetches a signed address. */
  async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
    const response = await fetch(url, signal && { signal });
    if (!response.ok)
      throw new Error(`The download was refused with ${response.status}: ${await response.text()}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  return {
    upload,
    createImageJob: (job: ImageJob) => call(AcceptedJob, "POST", "/v1/jobs", { type: "image", ...job }),
    retrieveJob: (jobId: string) => call(JobStatus, "GET", jobPath(jobId)),
    listJobs: () => call(JobList, "GET", "/v1/jobs"),
    retrieveJobResult: (jobId: string) => call(ImageJobResult, "GET", `${jobPath(jobId)}/result`),
    waitForJob,
    waitForArchive,
    download,
  };
}

export type ApiClient = ReturnType<typeof createClient>;

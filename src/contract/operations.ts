import { z } from "zod";
import { Account, AccountOverview } from "./account.ts";
import { ApiKeyList, CreateApiKeyRequest, CreatedApiKey, RevokedApiKey } from "./api-key.ts";
import { ArchiveDownload } from "./archive.ts";
import { BillingUrl } from "./billing.ts";
import { AcceptedJob, CreateJobRequest, JobList, JobStatus, ListJobsQuery } from "./job.ts";
import { JobResult } from "./result.ts";
import { PresignRequest, Upload } from "./upload.ts";

/** What the operations are grouped by. */
export const TAGS = {
  Uploads: "Upload files before creating a job from them.",
  Jobs: "Segmentation by text prompts, in the background. Poll a job after two seconds, then at growing intervals of up to ten seconds.",
  Downloads: "All masks of a job in one zip file.",
  Account: "Who the credential belongs to, what this account may do, and what it has used.",
  "API keys": "The account's secret keys. Never use them in a browser.",
  Billing: "The payment provider's pages for the account's owner.",
} as const;

/** One operation of the API, as its document tells it. */
export interface Operation {
  readonly method: "get" | "post" | "delete";
  readonly path: `/v1/${string}`;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  /** The header Idempotency-Key. */
  readonly idempotencyKey?: "required" | "optional";
  readonly body?: z.ZodType;
  readonly status: 200 | 201 | 202;
  readonly answer: z.ZodType;
  /** Headers of its success, beside those of every answer. */
  readonly headers?: readonly "X-Job-Progress"[];
  /** What the success means. */
  readonly success: string;
  /** Codes of the catalogue, beside those of every operation; each has its status there. */
  readonly errors: readonly string[];
}

/** The parameters that stand in paths. */
export const PATH_PARAMETERS = {
  jobId: z
    .string()
    .meta({ description: "The job's id.", examples: ["job_019aa0f61c4e7d2d9be7a5f40b8a6c21"] }),
  keyId: z
    .string()
    .meta({ description: "The key's id.", examples: ["key_019aa0f61c4e7d2d9be7a5f40b8a6c21"] }),
} as const;

/** Errors that any operation may answer with. */
export const COMMON_ERRORS = [
  "Unauthorized",
  "rate_limited",
  "internal_error",
  "identity_provider_unavailable",
] as const;

const BODY_ERRORS = [
  "body_incomplete",
  "invalid_request",
  "invalid_json",
  "unsupported_content_type",
  "body_too_large",
] as const;

const IDEMPOTENCY_ERRORS = [
  "invalid_idempotency_key",
  "idempotency_mismatch",
  "idempotency_in_progress",
] as const;

/** The API: section 4 of its specification, with what this service adds to the error codes. */
export const OPERATIONS = {
  createUploadPresign: {
    method: "post",
    path: "/v1/uploads/presign",
    tag: "Uploads",
    summary: "Get a URL to upload a file to",
    description:
      "PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. The service deletes an upload that no job has used within a day.",
    body: PresignRequest,
    status: 200,
    answer: Upload,
    success: "The upload URL and the upload's id.",
    errors: [...BODY_ERRORS, "too_many_uploads"],
  },
  listJobs: {
    method: "get",
    path: "/v1/jobs",
    tag: "Jobs",
    summary: "List the account's jobs, newest first",
    query: ListJobsQuery,
    status: 200,
    answer: JobList,
    success: "A page of jobs. `nextToken` requests the next page; on the last page it is null.",
    errors: ["invalid_request", "invalid_cursor"],
  },
  createJob: {
    method: "post",
    path: "/v1/jobs",
    tag: "Jobs",
    summary: "Create a job from uploaded files and text prompts",
    description:
      "The service refuses a field that does not belong to the chosen type. After a 502 or 503, nothing was created or charged: send the request again.",
    idempotencyKey: "optional",
    body: CreateJobRequest,
    status: 202,
    answer: AcceptedJob,
    success: "The job is queued. For a trial account, `trial` states what is left of the trial.",
    errors: [
      ...BODY_ERRORS,
      ...IDEMPOTENCY_ERRORS,
      "duplicate_task",
      "task_type_mismatch",
      "too_many_prompts",
      "prompt_too_long",
      "upload_too_large",
      "trial_limit_exceeded",
      "trial_format_unsupported",
      "trial_video_unsupported",
      "trial_insufficient",
      "trial_exhausted",
      "trial_expired",
      "email_unverified",
      "daily_limit_reached",
      "payment_required",
      "task_not_owned",
      "upload_incomplete",
      "active_job_exists",
      "too_many_active_jobs",
      "enqueue_failed",
      "trial_queue_full",
    ],
  },
  retrieveJob: {
    method: "get",
    path: "/v1/jobs/{jobId}",
    tag: "Jobs",
    summary: "Get a job's status",
    description: "The status never contains masks. Get them from the result.",
    status: 200,
    answer: JobStatus,
    headers: ["X-Job-Progress"],
    success: "The status of the job and of each of its tasks.",
    errors: ["job_not_found"],
  },
  retrieveJobResult: {
    method: "get",
    path: "/v1/jobs/{jobId}/result",
    tag: "Jobs",
    summary: "Get the masks of a job that succeeded",
    status: 200,
    answer: JobResult,
    success: "The manifest and the assets, with signed URLs. Each response has new ones.",
    errors: ["job_not_found", "job_not_ready"],
  },
  createJobDownload: {
    method: "post",
    path: "/v1/jobs/{jobId}/download",
    tag: "Downloads",
    summary: "Start building a zip of a job's outputs",
    description:
      "If an archive is already being built or is ready, the service returns that one. If it failed, the service starts a new one.",
    status: 202,
    answer: ArchiveDownload,
    success: "The archive. It is pending until the service builds it.",
    errors: ["job_not_found", "job_not_downloadable"],
  },
  retrieveJobDownload: {
    method: "get",
    path: "/v1/jobs/{jobId}/download",
    tag: "Downloads",
    summary: "Get an archive's status",
    status: 200,
    answer: ArchiveDownload,
    success: "The archive's status and, once it is ready, the URL to download it from.",
    errors: ["job_not_found", "download_not_requested", "job_not_downloadable"],
  },
  getAccount: {
    method: "get",
    path: "/v1/account",
    tag: "Account",
    summary: "Get the account",
    status: 200,
    answer: Account,
    success: "The account that the credential belongs to.",
    errors: [],
  },
  getAccountOverview: {
    method: "get",
    path: "/v1/account/overview",
    tag: "Account",
    summary: "Get the account's usage, billing, access and trial",
    status: 200,
    answer: AccountOverview,
    success: "What the account may do, and what it has used.",
    errors: [],
  },
  listApiKeys: {
    method: "get",
    path: "/v1/api-keys",
    tag: "API keys",
    summary: "List the account's API keys",
    status: 200,
    answer: ApiKeyList,
    success: "All keys, including revoked ones, without their secrets.",
    errors: [],
  },
  createApiKey: {
    method: "post",
    path: "/v1/api-keys",
    tag: "API keys",
    summary: "Create an API key",
    description: "The service stores only a digest of the secret and cannot show the secret again.",
    idempotencyKey: "required",
    body: CreateApiKeyRequest,
    status: 201,
    answer: CreatedApiKey,
    success: "The key, with its secret.",
    errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "too_many_keys"],
  },
  revokeApiKey: {
    method: "delete",
    path: "/v1/api-keys/{keyId}",
    tag: "API keys",
    summary: "Revoke an API key",
    description:
      "The service refuses the key from its next use on. A revoked key stays revoked; revoking it again changes nothing.",
    status: 200,
    answer: RevokedApiKey,
    success: "The revoked key.",
    errors: ["api_key_not_found"],
  },
  createCheckout: {
    method: "post",
    path: "/v1/billing/checkout",
    tag: "Billing",
    summary: "Open a checkout session for the subscription",
    idempotencyKey: "required",
    status: 201,
    answer: BillingUrl,
    success: "The URL to open in the owner's browser.",
    errors: [
      ...IDEMPOTENCY_ERRORS,
      "subscription_exists",
      "payment_provider_failed",
      "billing_not_configured",
    ],
  },
  createBillingPortal: {
    method: "post",
    path: "/v1/billing/portal",
    tag: "Billing",
    summary: "Open a billing portal session",
    idempotencyKey: "required",
    status: 201,
    answer: BillingUrl,
    success: "The URL to open in the owner's browser.",
    errors: [...IDEMPOTENCY_ERRORS, "payment_provider_failed", "billing_not_configured"],
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

import { z } from "zod";

/** The groups of the operations. */
export const TAGS = {
  Segment: "From a picture to its masks with one request.",
  Uploads: "Upload files before creating a job from them.",
  Jobs: "Segmentation by text prompts, in the background. Wait for a job with `Prefer: wait=60`, or listen to its events; or poll it after two seconds, then at growing intervals of up to ten seconds.",
  Downloads: "All masks of a job in one zip file.",
  Sharing:
    "Links that show a result to people without an account, until they end or are revoked. A link's token is a credential for the operations that say so, about its jobs alone.",
  Model: "The model that finds the objects.",
  Account: "Whom the credential belongs to, what the account may do, and what it has used.",
  "API keys": "The account's secret keys. Never use them in a browser.",
  Webhooks:
    "Events for your server, by the Standard Webhooks specification, when a job or an archive ends, so that you need not poll. Delivered at least once, in any order. Verify each one with its endpoint's secret.",
  Billing: "The payment provider's pages for the account's owner.",
} as const;

/** One operation of the API: its route, its checks and its part of the document follow from this row. */
export interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: `/v1/${string}`;
  /** True if a share's token gives access to it, for the jobs that the share shows; its path names the job. */
  readonly byLink?: true;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly idempotencyKey?: "required" | "optional";
  /** Further headers of its requests; all but If-Match are optional. */
  readonly requestHeaders?: readonly (keyof typeof REQUEST_HEADERS)[];
  readonly body?: z.ZodType;
  /** The form that it takes in place of the JSON; its handler reads both. */
  readonly form?: z.ZodType;
  /** The most bytes of its body; the operator's bound unless it has its own. */
  readonly maxBodyBytes?: number;
  readonly status: 200 | 201 | 202 | 204;
  /** The body of its success; null if it has none. */
  readonly answer: z.ZodType | null;
  /** The content type of its success, if that is not JSON: then `answer` describes one piece of it. */
  readonly contentType?: "text/event-stream";
  /** Headers of its success, in addition to those of every answer. */
  readonly headers?: readonly ("X-Job-Progress" | "Preference-Applied" | "ETag")[];
  /** The meaning of the success. */
  readonly success: string;
  /** The meaning of a 204, for an operation that may return one. */
  readonly noContent?: string;
  /** The body of a 202, for an operation that may answer before the end. */
  readonly unfinished?: z.ZodType;
  /** Codes of the error catalog, in addition to those that `errorsOf` adds; each has its status there. */
  readonly errors: readonly string[];
}

/** The parameters of paths. */
export const PATH_PARAMETERS = {
  jobId: z
    .string()
    .meta({ description: "The job's id.", examples: ["job_019aa0f61c4e7d2d9be7a5f40b8a6c21"] }),
  taskId: z.string().meta({
    description: "The upload's id.",
    examples: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"],
  }),
  keyId: z
    .string()
    .meta({ description: "The key's id.", examples: ["key_019aa0f61c4e7d2d9be7a5f40b8a6c21"] }),
  endpointId: z
    .string()
    .meta({ description: "The endpoint's id.", examples: ["whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"] }),
  deliveryId: z.string().meta({
    description: "The delivery's id, which its attempts carry as `webhook-id`.",
    examples: ["evt_019aa0f61c4e7d2d9be7a5f40b8a6c21"],
  }),
} as const;

export const REQUEST_HEADERS = {
  Prefer: z.string().meta({
    description:
      "`wait=N` (RFC 7240) holds the response until the end, for N seconds at most, from 1 to 60; a larger N counts as 60. Any other value is ignored.",
    examples: ["wait=60"],
  }),
  "If-Match": z.string().meta({
    description: "The version on which the request is based, as `ETag` gave it.",
    examples: ['"3"'],
  }),
  "Last-Event-ID": z.string().meta({
    description:
      "The id of the last event received from an earlier stream of this job. EventSource sends it automatically.",
    examples: ["3"],
  }),
} as const;

/** The header `Idempotency-Key`: names a request that may be repeated. */
export const IdempotencyKey = z
  .string()
  .min(1)
  .max(128)
  .meta({
    description:
      "Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`.",
    examples: ["8e03978e-40d5-43e8-bc93-6894a57f9324"],
  });

/** Errors that any operation may answer with. */
export const COMMON_ERRORS = [
  "Unauthorized",
  "rate_limited",
  "internal_error",
  "identity_provider_unavailable",
  "database_unavailable",
  "account_moving",
] as const;

const BODY_ERRORS = [
  "body_incomplete",
  "invalid_request",
  "invalid_json",
  "unsupported_content_type",
  "body_too_large",
] as const;

/** Errors of every operation that takes an Idempotency-Key. */
const IDEMPOTENCY_ERRORS = [
  "invalid_idempotency_key",
  "idempotency_mismatch",
  "idempotency_in_progress",
] as const;

/** Every code that an operation may answer with, in addition to COMMON_ERRORS: its parameters decide some of them. */
export const errorsOf = <Code extends string>({
  body,
  idempotencyKey,
  query,
  errors,
}: Pick<Operation, "body" | "idempotencyKey" | "query"> & { readonly errors: readonly Code[] }) => [
  ...(body === undefined ? [] : BODY_ERRORS),
  ...(idempotencyKey === undefined ? [] : IDEMPOTENCY_ERRORS),
  ...(query === undefined ? [] : (["invalid_request"] as const)),
  ...errors,
];

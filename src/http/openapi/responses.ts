import { ErrorObject, type ErrorHints } from "../../shared/api/error.ts";
import { COMMON_ERRORS, errorsOf, type Operation } from "../../shared/api/operation.ts";
import { ERROR_CATALOGUE, type ErrorCode, type ServiceError } from "../../shared/errors.ts";
import { reference } from "./components.ts";

const MEANINGS: Readonly<Record<ServiceError["status"], string>> = {
  400: "The request is invalid.",
  401: "The credential is missing, invalid, expired or revoked.",
  402: "The free trial does not cover the request, the account has reached its limit of units per day, or a payment is overdue.",
  403: "A taskId is not an upload of the account, or the link does not show this.",
  404: "The account has no resource with this id.",
  405: "The path does not support this method.",
  409: "The request conflicts with the current state.",
  412: "Another version is there by now. Nothing was changed.",
  428: "The request does not name the version on which it is based.",
  429: "The account, or its network address, has sent too many requests, or has too many streams open.",
  500: "The service failed unexpectedly.",
  502: "A service that this one depends on failed. Nothing was created.",
  503: "The service cannot serve this request at the moment. Nothing was created.",
};

const TRIAL: ErrorHints = {
  remainingTokens: 2,
  requestedTokens: 3,
  expiresAt: "2026-12-04T09:30:00.000Z",
  upgradeUrl: "https://segmentation.example.com/upgrade",
};

/** Examples of the hints that some errors carry in addition to their sentence. */
const HINTS: Partial<Record<ErrorCode, ErrorHints>> = {
  trial_limit_exceeded: TRIAL,
  trial_format_unsupported: TRIAL,
  trial_video_unsupported: TRIAL,
  trial_insufficient: TRIAL,
  trial_exhausted: { ...TRIAL, remainingTokens: 0 },
  trial_expired: { ...TRIAL, remainingTokens: 0 },
  email_unverified: { upgradeUrl: "https://segmentation.example.com/upgrade" },
  daily_limit_reached: { retryAfterSeconds: 28_800 },
  payment_required: { upgradeUrl: "https://segmentation.example.com/upgrade" },
  active_job_exists: { activeJobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21" },
  too_many_uploads: { retryAfterSeconds: 7_200 },
  idempotency_in_progress: { retryAfterSeconds: 2 },
  rate_limited: { retryAfterSeconds: 60 },
  too_many_streams: { retryAfterSeconds: 30 },
  trial_queue_full: {
    retryAfterSeconds: 30,
    upgradeUrl: "https://segmentation.example.com/upgrade",
  },
  identity_provider_unavailable: { retryAfterSeconds: 5 },
  database_unavailable: { retryAfterSeconds: 30 },
  account_moving: { retryAfterSeconds: 30 },
};

const header = (name: keyof typeof HEADERS): object => ({ $ref: `#/components/headers/${name}` });

const EVERY_RESPONSE = { "X-Request-Id": header("X-Request-Id") };

/** The headers that components.headers describes. */
export const HEADERS = {
  "X-Request-Id": {
    description: "Identifies the request. Include it when you report a failure.",
    schema: { type: "string", format: "uuid" },
  },
  "Retry-After": {
    description: "Seconds to wait before trying again.",
    schema: { type: "integer", minimum: 1 },
  },
  "Idempotent-Replayed": {
    description: "`true` if this is the response to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  "X-Job-Progress": {
    description:
      "The share of the job's work that is done: the mean over its tasks, rounded down to hundredths, and 1.00 once every task has ended. It can fall, because a task starts again after a failed attempt.",
    schema: { type: "number", minimum: 0, maximum: 1 },
    example: 0.42,
  },
  "Preference-Applied": {
    description: "`wait=N`, if the response was held by the request's `Prefer`; N is at most 60.",
    schema: { type: "string" },
    example: "wait=60",
  },
  ETag: {
    description: "The version, in quotes: send it as `If-Match`.",
    schema: { type: "string" },
    example: '"4"',
  },
  "WWW-Authenticate": {
    description: "`Bearer`.",
    schema: { type: "string", const: "Bearer" },
  },
} as const;

const example = (code: ErrorCode): object => ({
  value: { error: code, message: ERROR_CATALOGUE[code][1], ...HINTS[code] },
});

function errorResponse(status: ServiceError["status"], codes: readonly ErrorCode[]): object {
  const mayHaveRetryAfter = codes.some((code) => HINTS[code]?.retryAfterSeconds !== undefined);
  return {
    description: MEANINGS[status],
    headers: {
      ...EVERY_RESPONSE,
      ...(status === 401 && { "WWW-Authenticate": header("WWW-Authenticate") }),
      ...(status === 412 && { ETag: header("ETag") }),
      ...(mayHaveRetryAfter && { "Retry-After": header("Retry-After") }),
    },
    content: {
      "application/json": {
        schema: reference(ErrorObject),
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  };
}

/** The errors that every operation may return, by status. */
const COMMON_BY_STATUS = Map.groupBy(COMMON_ERRORS, (code) => ERROR_CATALOGUE[code][0]);

/** Returns one response for each status of these errors, named after its first code. */
export const commonResponses = (): Record<string, object> =>
  Object.fromEntries(
    Array.from(COMMON_BY_STATUS, ([status, codes]) => [codes[0], errorResponse(status, codes)]),
  );

/** An operation whose error codes are all in the catalog; the compiler checks it. */
type CataloguedOperation = Omit<Operation, "errors"> & { readonly errors: readonly ErrorCode[] };

/** Returns an operation's responses, by status: its success and its possible errors. */
export function responsesOf(operation: CataloguedOperation): Record<string, object> {
  const isRepeatable = operation.idempotencyKey !== undefined;
  const headers = {
    ...EVERY_RESPONSE,
    ...Object.fromEntries((operation.headers ?? []).map((name) => [name, header(name)])),
    ...(isRepeatable && { "Idempotent-Replayed": header("Idempotent-Replayed") }),
  };
  const responses: Record<string, object> = {
    [operation.status]: {
      description: operation.success,
      headers,
      ...(operation.answer && {
        content: { [operation.contentType ?? "application/json"]: { schema: reference(operation.answer) } },
      }),
    },
  };
  if (operation.unfinished !== undefined) {
    responses[202] = {
      description: "The job has not ended yet. Wait for it with `GET /v1/jobs/{jobId}`.",
      headers: { ...headers, "Retry-After": header("Retry-After") },
      content: { "application/json": { schema: reference(operation.unfinished) } },
    };
  }
  if (operation.noContent !== undefined) {
    responses[204] = { description: operation.noContent, headers: EVERY_RESPONSE };
  }
  for (const [status, [name]] of COMMON_BY_STATUS) {
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  const own: readonly ErrorCode[] = errorsOf(operation);
  const codes = [...own, ...COMMON_ERRORS];
  for (const status of new Set(own.map((code) => ERROR_CATALOGUE[code][0]))) {
    responses[status] = errorResponse(
      status,
      codes.filter((code) => ERROR_CATALOGUE[code][0] === status),
    );
  }
  return responses;
}

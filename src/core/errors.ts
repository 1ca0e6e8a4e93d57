import type { ErrorHints } from "../contract/error.ts";

/** What to do about an error whose answer has the header Retry-After. */
export const TRY_AGAIN = "Try again after the number of seconds in Retry-After";

/** Every error of the API: its stable code, its status and the sentence that says what to do. */
export const ERROR_CATALOGUE = {
  Unauthorized: [
    401,
    "The API key or access token is missing or invalid. Send a valid one as `Authorization: Bearer <credential>`.",
  ],
  invalid_request: [
    400,
    "The request does not match the API's schema. Compare it with the reference at /docs.",
  ],
  body_incomplete: [400, "The connection closed before the whole body arrived. Send the request again."],
  invalid_json: [400, "The body is not valid JSON. Send a JSON object in UTF-8."],
  unsupported_content_type: [
    400,
    "The Content-Type is not JSON in UTF-8. Send a JSON body with `Content-Type: application/json`.",
  ],
  body_too_large: [400, "The body is larger than this service accepts. Send a smaller one."],
  invalid_idempotency_key: [
    400,
    "The Idempotency-Key header is missing, empty or too long. Send 1 to 128 characters.",
  ],
  invalid_cursor: [400, "nextToken does not belong to this list with these filters. Start again without it."],
  invalid_period: [
    400,
    "The period has too many days, begins too long ago, or ends before it begins. Send another from or to.",
  ],
  duplicate_task: [400, "The same taskId is listed more than once. List each upload once."],
  task_type_mismatch: [
    400,
    "An upload does not match the job's type. Image jobs take pictures; video jobs take one video.",
  ],
  too_many_prompts: [400, "The job has more prompts than this service accepts. Send fewer."],
  prompt_too_long: [400, "A prompt is longer than this service accepts. Shorten it."],
  upload_too_large: [400, "An uploaded file is larger than this service accepts. Upload a smaller one."],
  invalid_signature: [
    400,
    "The webhook's signature is missing, wrong or too old. Sign the event with the endpoint's signing secret.",
  ],
  url_forbidden: [
    400,
    "The service does not send requests to this URL. Send an https URL of a public host, without user name and password, that is not this service's own.",
  ],
  import_type_unsupported: [
    400,
    "The file at the URL is neither a picture nor a video. Send the URL of the file itself, not of a page that shows it.",
  ],
  trial_limit_exceeded: [
    402,
    "The job has more images than the free trial allows per job. Send fewer, or upgrade.",
  ],
  trial_format_unsupported: [
    402,
    "The free trial accepts only JPEG, PNG and WebP pictures. Convert the picture, or upgrade.",
  ],
  trial_video_unsupported: [402, "The free trial does not include video. Upgrade to process videos."],
  trial_insufficient: [
    402,
    "The job needs more tokens than the free trial has left. Send fewer images, or upgrade.",
  ],
  trial_exhausted: [402, "The free trial has no tokens left. Upgrade to continue."],
  trial_expired: [402, "The free trial has expired. Upgrade to continue."],
  email_unverified: [
    402,
    "The free trial requires a verified e-mail address. Verify it with your identity provider and sign in again, or upgrade.",
  ],
  daily_limit_reached: [
    402,
    `The account has reached its limit of units or tasks per day, which resets at 00:00 UTC. ${TRY_AGAIN}, or ask the service's operator for a higher limit.`,
  ],
  payment_required: [
    402,
    "A payment for this account is overdue. Pay it in the billing portal to create jobs again.",
  ],
  task_not_owned: [
    403,
    "A taskId is not an upload of this account. Upload the file again and use its new taskId.",
  ],
  not_found: [404, "There is nothing at this path. The reference at /docs lists the API's paths."],
  job_not_found: [
    404,
    "This account has no job with this id. Check the id; jobs are deleted after the retention period.",
  ],
  download_not_requested: [
    404,
    "No archive has been requested for this job. Request one with POST on the same path.",
  ],
  upload_not_found: [
    404,
    "This account has no upload with this id. Check the id; uploads are deleted after the retention period, or after a day if no job uses them.",
  ],
  api_key_not_found: [404, "This account has no API key with this id. List its keys with GET /v1/api-keys."],
  webhook_endpoint_not_found: [
    404,
    "This account has no webhook endpoint with this id. List its endpoints with GET /v1/webhook-endpoints.",
  ],
  webhook_delivery_not_found: [
    404,
    "This endpoint has no delivery with this id. Check the id; deliveries are kept for a month, the newest 10,000 of an endpoint.",
  ],
  method_not_allowed: [
    405,
    "This path does not support this method. The Allow header lists the methods it supports.",
  ],
  upload_incomplete: [
    409,
    "A task's file has not been uploaded. PUT it to its uploadUrl, then create the job again.",
  ],
  upload_in_use: [
    409,
    "A job in progress needs this upload; activeJobId names it. Wait until the job has ended, or cancel it, then try again.",
  ],
  job_not_ready: [
    409,
    "The job has no result: it has not finished, or it failed. GET /v1/jobs/{jobId} tells which.",
  ],
  job_not_downloadable: [
    409,
    "The job has not ended in success, so it has no archive. GET /v1/jobs/{jobId} tells its status.",
  ],
  active_job_exists: [409, "Another job of this account is still in progress. Wait until it has finished."],
  too_many_uploads: [
    409,
    "The account has too many uploads that no job uses, or has uploaded too many bytes or deleted too many uploads within a day. Create jobs from them, delete those that you do not need, or try again after the number of seconds in Retry-After, if there is one.",
  ],
  too_many_keys: [409, "The account has too many API keys. Revoke one that is no longer needed."],
  too_many_webhook_endpoints: [
    409,
    "The account has 10 webhook endpoints. Delete one that is no longer needed.",
  ],
  webhook_endpoint_disabled: [
    409,
    "The webhook endpoint is disabled; its disabledReason says why. Enable it with PATCH and `disabled` false, then try again.",
  ],
  too_many_secrets: [
    409,
    "Five secrets of this endpoint are valid: the current one, and those replaced within the last 24 hours. Rotate again once one of them has expired.",
  ],
  too_many_attempts: [
    409,
    "This delivery has had 30 attempts, the maximum. Fetch the job's status with GET /v1/jobs/{jobId} instead.",
  ],
  too_many_active_jobs: [409, "Too many jobs of this account are in progress. Wait until one has finished."],
  idempotency_mismatch: [
    409,
    "This Idempotency-Key was used for a different request. Use a new key for a new request.",
  ],
  idempotency_in_progress: [
    409,
    `The first request with this Idempotency-Key is still running. ${TRY_AGAIN}.`,
  ],
  subscription_exists: [409, "The account already has a subscription. Manage it in the billing portal."],
  rate_limited: [429, `This account has sent too many requests. ${TRY_AGAIN}.`],
  too_many_streams: [
    429,
    "Too many event streams are open. Close one, or wait for the job with `Prefer: wait=60`; a stream whose client has gone is closed within seconds.",
  ],
  lease_lost: [409, "The lease is no longer in force. Stop working on the task."],
  outputs_refused: [
    400,
    "A task of this type cannot have these outputs. Run the same version of Worker and inference service.",
  ],
  internal_error: [
    500,
    "The service failed unexpectedly. Try again; if it keeps failing, report the X-Request-Id to its operator.",
  ],
  enqueue_failed: [502, "The job could not be queued and was not created. Try again."],
  import_failed: [
    502,
    "The file could not be fetched from the URL. Check that the URL is publicly accessible and try again, or upload the file.",
  ],
  payment_provider_failed: [502, "The payment provider did not answer as expected. Try again later."],
  trial_queue_full: [503, `The free trial's queue is full. ${TRY_AGAIN}, or upgrade.`],
  identity_provider_unavailable: [
    503,
    `Access tokens cannot be checked at the moment. ${TRY_AGAIN}, or use an API key.`,
  ],
  model_unavailable: [503, `The inference service did not report its model. ${TRY_AGAIN}.`],
  billing_not_configured: [503, "Billing is not set up on this service. Ask its operator."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** A failure that is reported to the caller: a code of the catalogue, with a more precise sentence and hints if they help. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly status: (typeof ERROR_CATALOGUE)[ErrorCode][0];
  readonly hints: ErrorHints;

  constructor(code: ErrorCode, message?: string, hints: ErrorHints = {}) {
    super(message ?? ERROR_CATALOGUE[code][1]);
    this.code = code;
    this.status = ERROR_CATALOGUE[code][0];
    this.hints = hints;
  }
}

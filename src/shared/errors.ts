import type { ErrorHints } from "./api/error.ts";

type Errors<Status extends number, Code extends string> = {
  readonly [Each in Code]: readonly [status: Status, message: string];
};

/** Returns the catalog's entries for errors of one status. */
function withStatus<Status extends number, Code extends string>(
  status: Status,
  messages: Readonly<Record<Code, string>>,
): Errors<Status, Code> {
  const entries = Object.entries<string>(messages).map(([code, message]) => [code, [status, message]]);
  return Object.fromEntries(entries);
}

/** The instruction for an error whose answer has the header Retry-After. */
export const TRY_AGAIN = "Try again after the number of seconds in Retry-After";

/** Every error of the API: its stable code, its status and the sentence with the remedy. */
export const ERROR_CATALOGUE = {
  ...withStatus(401, {
    Unauthorized:
      "The API key or access token is missing or invalid. Send a valid one as `Authorization: Bearer <credential>`.",
  }),
  ...withStatus(400, {
    invalid_request: "The request does not match the API's schema. Compare it with the reference at /docs.",
    body_incomplete: "The connection closed before the whole body arrived. Send the request again.",
    invalid_json: "The body is not valid JSON. Send a JSON object in UTF-8.",
    unsupported_content_type:
      "The Content-Type is not JSON in UTF-8, or the body has a Content-Encoding. Send uncompressed JSON with `Content-Type: application/json`.",
    body_too_large: "The body is larger than this service accepts. Send a smaller one.",
    invalid_idempotency_key:
      "The Idempotency-Key header is missing, empty or too long. Send 1 to 128 characters.",
    invalid_cursor: "nextToken does not belong to this list with these filters. Start again without it.",
    invalid_period:
      "The period has too many days, begins too long ago, or ends before it begins. Send another from or to.",
    duplicate_task: "The same taskId is listed more than once. List each upload once.",
    task_not_continued:
      "A task is not one of the job that this one continues. Name uploads of that job, or leave out continues.",
    task_type_mismatch:
      "An upload does not match the job's type. Image jobs take pictures; video jobs take one video.",
    too_many_prompts: "The job has more prompts than this service accepts. Send fewer.",
    prompt_too_long: "A prompt is longer than this service accepts. Shorten it.",
    upload_too_large: "An uploaded file is larger than this service accepts. Upload a smaller one.",
    invalid_signature:
      "The webhook's signature is missing, wrong or too old. Sign the event with the endpoint's signing secret.",
    url_forbidden:
      "The service does not send requests to this URL. Send an https URL of a public host, without user name and password, that is not this service's own.",
    import_type_unsupported:
      "The file at the URL is neither a picture nor a video. Send the URL of the file itself, not of a page that shows it.",
  }),
  ...withStatus(402, {
    trial_limit_exceeded:
      "The job has more images than the free trial allows per job. Send fewer, or upgrade.",
    trial_format_unsupported:
      "The free trial accepts only JPEG, PNG and WebP pictures. Convert the picture, or upgrade for GIF and AVIF.",
    trial_video_unsupported: "The free trial does not include video. Upgrade to process videos.",
    trial_insufficient:
      "The job needs more tokens than the free trial has left. Send fewer images, or upgrade.",
    trial_exhausted: "The free trial has no tokens left. Upgrade to continue.",
    trial_expired: "The free trial has expired. Upgrade to continue.",
    email_unverified:
      "The free trial requires a verified e-mail address. Verify it with your identity provider and sign in again, or upgrade.",
    daily_limit_reached: `The account has reached its daily limit of units or tasks, which resets at 00:00 UTC. ${TRY_AGAIN}, or ask the service's operator for a higher limit.`,
    payment_required:
      "A payment for this account is overdue. Pay it in the billing portal to create jobs again.",
  }),
  ...withStatus(403, {
    task_not_owned:
      "A taskId is not an upload of this account. Upload the file again and use its new taskId.",
    annotations_not_shared:
      "The link does not show people's annotations of the result. Ask its owner for a link that does.",
    origin_forbidden:
      "Pages of this origin may not call this path. Call it from a server or a program, without the header Origin.",
  }),
  ...withStatus(404, {
    not_found: "There is nothing at this path. The reference at /docs lists the API's paths.",
    job_not_found:
      "This account has no job with this id. Check the id; jobs are deleted after the retention period.",
    mask_not_found:
      "A region refines a mask that its job does not have of this picture. Take taskId and maskIndex from that job's result.",
    download_not_requested:
      "No archive has been requested for this job. Request one with POST on the same path.",
    share_not_found:
      "This account does not share a job with this id, or its link has ended. List what is shared with GET /v1/shares.",
    upload_not_found:
      "This account has no upload with this id. Check the id; uploads are deleted after the retention period, or after a day if no job uses them.",
    api_key_not_found: "This account has no API key with this id. List its keys with GET /v1/api-keys.",
    webhook_endpoint_not_found:
      "This account has no webhook endpoint with this id. List its endpoints with GET /v1/webhook-endpoints.",
    webhook_delivery_not_found:
      "This endpoint has no delivery with this id. Check the id; deliveries are kept for a month, successful ones only while they are among the newest 10,000 of the endpoint.",
  }),
  ...withStatus(405, {
    method_not_allowed:
      "This path does not support this method. The Allow header lists the methods it supports.",
  }),
  ...withStatus(409, {
    upload_incomplete:
      "A task's file has not been uploaded. PUT it to its uploadUrl, then create the job again. If the URL has expired, presign again.",
    upload_in_use:
      "An unfinished job needs this upload; activeJobId names it. Wait until that job has ended, or cancel it, then try again.",
    job_not_ready:
      "The job has no result: it has not finished, or it failed. GET /v1/jobs/{jobId} tells which.",
    job_not_downloadable:
      "The job has not ended in success, so it has no archive. GET /v1/jobs/{jobId} tells its status.",
    active_job_exists: "Another job of this account is still in progress. Wait until it has finished.",
    too_many_uploads:
      "The account has too many uploads that no job uses, or has uploaded too many bytes or deleted too many uploads within a day. Create jobs from the uploads, delete those that you do not need, or try again after the number of seconds in Retry-After, if the header is present.",
    too_many_keys: "The account has too many API keys. Revoke one that is no longer needed.",
    too_many_shares: "The account shares 100 results, the maximum. Revoke a link that is no longer needed.",
    too_many_webhook_endpoints: "The account has 10 webhook endpoints. Delete one that is no longer needed.",
    webhook_endpoint_disabled:
      "The webhook endpoint is disabled; disabledReason says why. Enable it with PATCH and `disabled` false, then try again.",
    too_many_secrets:
      "Five secrets of this endpoint are valid: the current one, and those replaced within the last 24 hours. Rotate again once one of them has expired.",
    too_many_attempts:
      "This delivery has had 30 attempts, the maximum. Fetch the job's status with GET /v1/jobs/{jobId} instead.",
    too_many_active_jobs: "Too many jobs of this account are in progress. Wait until one has finished.",
    idempotency_mismatch:
      "This Idempotency-Key was used for a different request. Use a new key for a new request.",
    idempotency_in_progress: `The first request with this Idempotency-Key is still running. ${TRY_AGAIN}.`,
    subscription_exists: "The account already has a subscription. Manage it in the billing portal.",
    annotations_refused:
      "The annotations do not fit the job: they name a task that it does not have, or a nextClassId below the present one.",
  }),
  ...withStatus(412, {
    version_conflict:
      "Another version was saved since. Fetch it, apply your changes to it, and send them with its version.",
  }),
  ...withStatus(428, {
    version_required:
      "The request does not name the version on which it is based. Send the ETag of the version that you have changed as `If-Match`.",
  }),
  ...withStatus(429, {
    rate_limited: `This account has sent too many requests. ${TRY_AGAIN}.`,
    too_many_streams:
      "Too many event streams are open. Close one, or wait for the job with `Prefer: wait=60`; a stream whose client died is closed within seconds.",
  }),
  ...withStatus(409, {
    lease_lost: "The lease is no longer in force. Stop working on the task.",
  }),
  ...withStatus(400, {
    outputs_refused:
      "A task of this type cannot have these outputs. Run the same version of Worker and inference service.",
  }),
  ...withStatus(500, {
    internal_error:
      "The service failed unexpectedly. Try again; if it keeps failing, report the X-Request-Id to its operator.",
  }),
  ...withStatus(502, {
    enqueue_failed: "The job could not be queued and was not created. Try again.",
    import_failed:
      "The file could not be fetched from the URL. Check that the URL is publicly accessible, and try again, or upload the file.",
    payment_provider_failed: "The payment provider did not answer as expected. Try again later.",
  }),
  ...withStatus(503, {
    trial_queue_full: `The free trial's queue is full. ${TRY_AGAIN}, or upgrade.`,
    identity_provider_unavailable: `Access tokens cannot be checked at the moment. ${TRY_AGAIN}, or use an API key.`,
    model_unavailable: `The inference service did not report its model. ${TRY_AGAIN}.`,
    database_unavailable: `The database with this account's books does not answer as expected. ${TRY_AGAIN}; if it keeps failing, report the X-Request-Id to the service's operator.`,
    account_moving: `The service is moving this account to another database. ${TRY_AGAIN}.`,
    billing_not_configured: "Billing is not set up on this service. Ask its operator.",
  }),
};

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** A failure reported to the caller: a code of the catalog, with a more precise sentence and hints where they help. */
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

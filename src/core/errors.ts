import type { ErrorHints } from "../contract/error.ts";

/** Every error of the API: its stable code, its status and the sentence that says what to do. */
export const ERROR_CATALOGUE = {
  Unauthorized: [
    401,
    "The API key or access token is missing or invalid. Send `Authorization: Bearer <credential>`.",
  ],
  invalid_request: [400, "The request does not have the documented shape."],
  body_incomplete: [400, "The connection ended before the body did. Send the request again."],
  invalid_json: [400, "The body is not valid JSON."],
  unsupported_content_type: [400, "Send the body as JSON with `Content-Type: application/json`."],
  body_too_large: [400, "The body is larger than this API accepts."],
  invalid_idempotency_key: [400, "Send an Idempotency-Key header of 1 to 128 characters."],
  invalid_cursor: [
    400,
    "nextToken is not one that this list gave for these filters. Start again without it.",
  ],
  duplicate_task: [400, "A taskId is listed twice. Name each upload once."],
  task_type_mismatch: [400, "A task is not of the job's type. Image jobs take pictures, video jobs a video."],
  too_many_prompts: [400, "The job has more prompts than this service accepts."],
  prompt_too_long: [400, "A prompt is longer than this service accepts."],
  upload_too_large: [400, "An upload is larger than this service accepts."],
  invalid_signature: [400, "The webhook's signature is missing, forged or too old."],
  trial_limit_exceeded: [402, "The free trial takes fewer images a job. Send fewer, or upgrade."],
  trial_format_unsupported: [
    402,
    "The free trial takes JPEG, PNG and WebP pictures. Convert it, or upgrade.",
  ],
  trial_video_unsupported: [402, "The free trial takes no video. Upgrade to send one."],
  trial_insufficient: [
    402,
    "The free trial has fewer tokens left than the job needs. Send fewer images, or upgrade.",
  ],
  trial_exhausted: [402, "The free trial's tokens are used up. Upgrade to go on."],
  trial_expired: [402, "The free trial has ended. Upgrade to go on."],
  payment_required: [402, "The account's billing is overdue. Settle it to create jobs."],
  task_not_owned: [403, "A taskId does not belong to this account."],
  not_found: [404, "There is nothing at this path."],
  job_not_found: [404, "There is no such job in this account."],
  download_not_requested: [404, "No archive was requested. Start one with POST on the same path."],
  api_key_not_found: [404, "There is no such API key in this account."],
  method_not_allowed: [405, "The path exists, but not with this method."],
  upload_incomplete: [409, "A task's file has not been uploaded. PUT it to its uploadUrl first."],
  job_not_ready: [409, "The job has no result: it is not finished, or it failed."],
  job_not_downloadable: [409, "Only a job that ended in success can be downloaded."],
  active_job_exists: [409, "Another job of this account is under way. Wait until it has finished."],
  too_many_active_jobs: [409, "Too many jobs of this account are under way. Wait until some have finished."],
  idempotency_mismatch: [
    409,
    "This Idempotency-Key was used for another request. Use a new key for a new request.",
  ],
  idempotency_in_progress: [409, "The first request with this Idempotency-Key is still running. Try again."],
  subscription_exists: [409, "The account has a subscription already. Manage it in the billing portal."],
  rate_limited: [429, "Too many requests of this account. Wait as long as Retry-After says."],
  lease_lost: [409, "The lease is no longer in force. Drop the task."],
  outputs_refused: [400, "The task may not write these outputs."],
  internal_error: [
    500,
    "Something failed on our side. Try again, and report the x-request-id if it persists.",
  ],
  enqueue_failed: [502, "The job could not be queued and was not created. Try again."],
  payment_provider_failed: [502, "The payment provider did not answer as it should. Try again."],
  trial_queue_full: [503, "The free trial's queue is full. Wait as long as Retry-After says, or upgrade."],
  identity_provider_unavailable: [503, "Access tokens can't be checked at the moment. Try again."],
  billing_not_configured: [503, "This service has no billing. Ask its operator."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** A failure that the caller is told about: a code of the catalogue, a sharper sentence and hints where they help. */
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

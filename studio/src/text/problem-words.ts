import { type ErrorCode, SegmentationError } from "segmentation-client";
import { counted } from "./format.ts";

/** The titles of errors by their codes; other errors have one by their status. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  connection_failed: "The service can’t be reached",
  timed_out: "The service can’t be reached",
  trial_exhausted: "Your trial is used up",
  trial_expired: "Your trial has ended",
  payment_required: "A payment is overdue",
  email_unverified: "Your email address is not verified",
  daily_limit_reached: "Today’s limit is reached",
  trial_queue_full: "The free trial is busy",
  upload_too_large: "A file is too large",
  body_too_large: "The changes are too large",
};

/** Sentences that replace those written for programs, by error code. `when` says when to try again: "in 3 minutes", "later". */
const SENTENCES: Partial<Record<ErrorCode, (when: string) => string>> = {
  connection_failed: () =>
    "Something on the way to the service or its storage failed. Check your network, then try again.",
  timed_out: () => "The service did not answer in time. Try again.",
  Unauthorized: () => "Sign in again. Your work stays in this tab.",
  daily_limit_reached: (when) =>
    `You have reached today’s limit, which resets at 00:00 UTC. Try again ${when}, or ask the service’s operator for a higher limit.`,
  too_many_uploads: (when) =>
    `Your account has too many unused uploads, or has uploaded or deleted too much within a day. Try again ${when}.`,
  idempotency_in_progress: (when) => `The first attempt is still running. Try again ${when}.`,
  rate_limited: (when) => `The service has received too many requests from you. Try again ${when}.`,
  trial_queue_full: (when) =>
    `The free trial’s queue is full. Try again ${when}, or switch to the paid plan.`,
  identity_provider_unavailable: (when) =>
    `Your sign-in can’t be checked right now. Try again ${when}, or use an API key.`,
  database_unavailable: (when) => `The service can’t reach your account’s data right now. Try again ${when}.`,
  account_moving: (when) => `The service is moving your account. Try again ${when}.`,
  model_unavailable: (when) => `The model is not ready. Try again ${when}.`,
  // No other request of the studio can be that large.
  body_too_large: () =>
    "The service keeps at most 1 MiB of changes with a job. Undo some strokes of the brush, or delete objects that you painted on. Until then the changes are in this browser only.",
  upload_incomplete: () => "A file did not reach the service. Add it again.",
  webhook_endpoint_disabled: () => "This endpoint is disabled. Enable it, then try again.",
  too_many_attempts: () => "This delivery has had 30 attempts, which is the limit.",
  internal_error: () =>
    "The service failed unexpectedly. Try again. If it keeps failing, report the request ID below to its operator.",
};

/** Returns a few words about a problem. */
export function problemTitle(error: unknown): string {
  if (!(error instanceof SegmentationError)) return "Something went wrong";
  const { code, status = 0 } = error;
  const title = TITLES[code];
  if (title !== undefined) return title;
  if (status === 401) return "You are no longer signed in";
  if (status === 402) return "This requires a paid plan";
  if (status === 404) return "Not found";
  if (status === 409) return "Not possible right now";
  if (status === 429) return "Too many requests";
  return status >= 500 ? "Something went wrong" : "The request was refused";
}

/** A readable duration, given seconds: "40 seconds", "3 minutes", "2 hours". */
export function waitText(seconds: number): string {
  if (seconds < 90) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? counted(minutes, "minute") : counted(Math.ceil(minutes / 60), "hour");
}

/** Explains a problem and its way out. @param names the names of files, by taskId */
export function problemSentence(error: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  if (!(error instanceof SegmentationError)) return error instanceof Error ? error.message : String(error);
  const { code, retryAfterSeconds: seconds, message } = error;
  const when = seconds === undefined ? "later" : `in ${waitText(seconds)}`;
  // It is busy: without a time to wait, the service's sentence says what is wrong with the URL.
  if (code === "import_failed" && seconds !== undefined)
    return `The service can’t fetch this file right now. Try again ${when}, or upload the file.`;
  const sentence = SENTENCES[code]?.(when);
  if (sentence !== undefined) return sentence;
  return [...names].reduce((text, [taskId, name]) => text.replaceAll(taskId, name), message);
}

/** Tells whether the way on is the page with the plans and the payment. */
export const isAboutPlan = (error: unknown): boolean =>
  error instanceof SegmentationError &&
  error.code !== "daily_limit_reached" &&
  (error.status === 402 || error.code === "trial_queue_full");

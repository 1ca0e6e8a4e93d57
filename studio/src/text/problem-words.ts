import { type ErrorCode, SegmentationError } from "segmentation-client";
import { bytesIn } from "../work/bytes-in.ts";
import { counted } from "./counted.ts";

/** What is said before the service's sentence, by code, and otherwise by status. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  connection_failed: "The service can’t be reached",
  timed_out: "The service can’t be reached",
  trial_exhausted: "Your trial is used up",
  trial_expired: "Your trial is over",
  payment_required: "A payment is overdue",
  email_unverified: "Your e-mail address is not verified",
  daily_limit_reached: "Today’s limit is reached",
  trial_queue_full: "The free trial is busy",
  upload_too_large: "A file is too large",
};

/** Sentences of the service that speak to programs. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  Unauthorized: "The service doesn’t take this sign-in any more. Sign in again; what you began stays.",
};

/** What happened, in a few words. */
export function problemTitle(error: unknown): string {
  if (!(error instanceof SegmentationError)) return "Something went wrong here";
  const { code, status = 0 } = error;
  const title = TITLES[code];
  if (title !== undefined) return title;
  if (status === 401) return "You are not signed in any more";
  if (status === 402) return "This needs a paid plan";
  if (status === 404) return "This is not there";
  if (status === 409) return "Something is in the way";
  if (status === 429) return "A moment, please";
  return status >= 500 ? "The service has a problem" : "This was refused";
}

/** So many seconds, as people say it: "40 seconds", "3 minutes", "2 hours". */
export function waitText(seconds: number): string {
  if (seconds < 90) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? counted(minutes, "minute") : counted(Math.ceil(minutes / 60), "hour");
}

/** How the service's sentences name the number that an answer's header has. */
const HEADER = /after the number of seconds in Retry-After(?:, if there is one)?/;

/** A large number of bytes in a sentence. */
const BYTES = /\b(\d{4,}) bytes\b/g;

/** What happened and what to do. @param names what people call the files of these taskIds */
export function problemSentence(error: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  if (!(error instanceof Error)) return String(error);
  const { code, retryAfterSeconds: seconds } = error instanceof SegmentationError ? error : {};
  let text = (code === undefined ? undefined : SENTENCES[code]) ?? error.message;
  text = text.replace(HEADER, seconds === undefined ? "later" : `in ${waitText(seconds)}`);
  text = text.replaceAll(BYTES, (_, bytes: string) => bytesIn(Number(bytes)));
  for (const [taskId, name] of names) text = text.replaceAll(taskId, name);
  return text;
}

/** Whether the way on is the page with the plans and the payment. */
export const isAboutPlan = (error: unknown): boolean =>
  error instanceof SegmentationError &&
  error.code !== "daily_limit_reached" &&
  (error.status === 402 || error.code === "trial_queue_full");

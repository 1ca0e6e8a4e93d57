import type { ApiErrorCode, ArchiveProblemCode, TaskProblemCode } from "./contract.ts";
import type { ErrorObject } from "./schemas.ts";

/** The codes of failures that this library finds itself, without an error of the service. */
export type ClientErrorCode =
  | "connection_failed"
  | "timed_out"
  | "unreadable_answer"
  | "storage_refused"
  | "invalid_signature"
  | "invalid_input";

/** Every code that an error of this library may have. */
export type ErrorCode = ApiErrorCode | TaskProblemCode | ArchiveProblemCode | ClientErrorCode;

/** True if a string is a code; a newer service may have codes that this version's types lack. */
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && code !== "";

interface KnownOfAnError extends Omit<ErrorObject, "error" | "message"> {
  readonly status: number;
  readonly requestId: string;
  readonly body: unknown;
  readonly jobId: string;
  readonly cause: unknown;
  readonly currentVersion: number;
}

/** Facts about an error besides its code and message. */
export type ErrorDetails = { readonly [Name in keyof KnownOfAnError]?: KnownOfAnError[Name] | undefined };

/**
 * Every failure of this library. `code` is for programs, `message` says what happened and what to do. Only an
 * aborted `signal` rejects with something else: its own reason.
 */
export class SegmentationError extends Error {
  override readonly name = "SegmentationError";
  readonly code: ErrorCode;
  /** The HTTP status; undefined if there was no answer. */
  readonly status!: number | undefined;
  /** The answer's X-Request-Id: name it when you report a failure. */
  readonly requestId!: string | undefined;
  /** The answer's body: its JSON, or its text. */
  readonly body!: unknown;
  /** The job that failed, or that continues although waiting for it failed: `client.result(jobId)` resumes waiting. */
  readonly jobId!: string | undefined;
  readonly retryAfterSeconds!: number | undefined;
  /** Tokens left in the free trial. */
  readonly remainingTokens!: number | undefined;
  /** Tokens that the refused job needs. */
  readonly requestedTokens!: number | undefined;
  /** End of the free trial: ISO 8601. */
  readonly expiresAt!: string | undefined;
  /** The job in progress that blocks a new one. */
  readonly activeJobId!: string | undefined;
  /** The page on which to upgrade or pay. */
  readonly upgradeUrl!: string | undefined;
  /** The version of the annotations that is saved now, of a `version_conflict`. */
  readonly currentVersion!: number | undefined;

  constructor(code: ErrorCode, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, { cause });
    this.code = code;
    Object.assign(this, details);
  }
}

/** The error of an unusable input, option or setting. */
export const invalidInput = (message: string, details?: ErrorDetails): SegmentationError =>
  new SegmentationError("invalid_input", message, details);

/** The error of a result without the files that its job must have. */
export const lacking = (what: string, jobId: string): SegmentationError =>
  new SegmentationError("unreadable_answer", `The result of the job has no ${what}.`, { jobId });

/** The message of an error, with that of its cause. */
export function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;
}

import type { TaskProblem } from "@segmentation/protocol";
import { hasCode } from "../error-code.ts";

/** The longest message that the protocol carries. */
const MESSAGE_LIMIT = 500;

/** Ends a task by name; `retryable` where another attempt may succeed. */
export class TaskFailure extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable: boolean) {
    super(message);
    this.name = "TaskFailure";
    this.code = code;
    this.retryable = retryable;
  }

  get problem(): TaskProblem {
    return { code: this.code, message: clip(this.message) };
  }
}

/** A fault of the submitted picture or request: trying again changes nothing. */
export const refused = (code: string, message: string): TaskFailure => new TaskFailure(code, message, false);

/** A fault of the moment: a crash, an unreachable store, a full disk. */
export const interrupted = (code: string, message: string): TaskFailure =>
  new TaskFailure(code, message, true);

export const diskFull = (): TaskFailure =>
  interrupted("disk_full", "The inference service ran out of disk space. Try again later.");

function clip(message: string): string {
  if (message.length <= MESSAGE_LIMIT) return message;
  return `${message.slice(0, MESSAGE_LIMIT - 1).toWellFormed()}…`;
}

/** Names what went wrong outside the picture: a full disk by name, anything else as an internal error. */
export function asTaskFailure(error: unknown): TaskFailure {
  if (error instanceof TaskFailure) return error;
  if (hasCode(error, "ENOSPC")) return diskFull();
  return interrupted("internal_error", "The inference service met an unexpected error. Try again later.");
}

import {
  type Particulars,
  type Problem,
  type ProblemCode,
  problemOf,
  PROBLEMS,
} from "@segmentation/protocol";
import { hasCode } from "./errors.ts";

/** Ends a task with one of the protocol's problems. */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  readonly problem: Problem;

  /** @param cause for the log, e.g. FFmpeg's output */
  constructor(problem: Problem, cause?: string) {
    super(problem.message, { cause });
    this.problem = problem;
  }

  get code(): ProblemCode {
    return this.problem.code;
  }

  /** True if another attempt may succeed. */
  get retryable(): boolean {
    return PROBLEMS[this.code].retryable;
  }
}

/** The failure with this problem's code, its sentence filled in. */
export const taskFailure = <Code extends ProblemCode>(
  code: Code,
  ...particulars: Particulars<Code>
): TaskFailure => new TaskFailure(problemOf(code, ...particulars));

/** The failure that an error counts as: itself, `disk_full` for a full disk, `internal_error` for anything else. */
export function asTaskFailure(error: unknown): TaskFailure {
  if (error instanceof TaskFailure) return error;
  return taskFailure(hasCode(error, "ENOSPC") ? "disk_full" : "internal_error");
}

/** True if the device, not the task, may be the reason why the model failed. */
export const mayBeDevices = ({ code }: TaskFailure): boolean =>
  code === "internal_error" || code === "model_output_invalid";

/** Ends a task without a report: the Worker canceled it, or its lease is lost. */
export class TaskDropped extends Error {
  override readonly name = "TaskDropped";
  readonly why: "cancelled" | "lease_lost";

  constructor(why: "cancelled" | "lease_lost") {
    super(why);
    this.why = why;
  }
}

/** The model can't work at present. The service hands the task back, which loses no attempt. */
export class ModelUnavailable extends Error {
  override readonly name = "ModelUnavailable";
}

/**
 * Ends a task because the service stops, or because it gives way to another. The service hands it back to the Worker.
 */
export class TaskReturned extends Error {
  override readonly name = "TaskReturned";
  /** The longest time to report that, in milliseconds, while the Worker does not answer. */
  readonly withinMs: number;

  constructor(withinMs: number) {
    super("returned");
    this.withinMs = withinMs;
  }
}

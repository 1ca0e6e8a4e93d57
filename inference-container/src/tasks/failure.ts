import {
  type Particulars,
  type Problem,
  type ProblemCode,
  problemOf,
  PROBLEMS,
} from "@segmentation/protocol";
import { hasCode } from "../error-code.ts";

/** Ends a task by a problem of the table. */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  readonly problem: Problem;

  /** @param cause for the log: what FFmpeg said, say */
  constructor(problem: Problem, cause?: string) {
    super(problem.message, { cause });
    this.problem = problem;
  }

  get code(): ProblemCode {
    return this.problem.code;
  }

  /** Whether another attempt may succeed. */
  get retryable(): boolean {
    return PROBLEMS[this.code].retryable;
  }
}

/** The failure by a problem's code and what its sentence leaves open. */
export const taskFailure = <Code extends ProblemCode>(
  code: Code,
  ...particulars: Particulars<Code>
): TaskFailure => new TaskFailure(problemOf(code, ...particulars));

/** Names what went wrong outside the picture: a full disk by name, anything else as an internal error. */
export function asTaskFailure(error: unknown): TaskFailure {
  if (error instanceof TaskFailure) return error;
  return taskFailure(hasCode(error, "ENOSPC") ? "disk_full" : "internal_error");
}

import { isErrorCode, SegmentationError } from "../errors.ts";
import type { JobStatus } from "../schemas.ts";

/** A problem's code, a colon, and its sentence. */
const PROBLEM = /^([a-z_]+): (.*)$/s;

/** The error of a job, or of an archive, that has failed: its code and sentence are those of the problem. */
export function problemError(problem: string | null | undefined, jobId: string): SegmentationError {
  const [, code, sentence = problem ?? "It failed."] = PROBLEM.exec(problem ?? "") ?? [];
  return new SegmentationError(isErrorCode(code) ? code : "internal_error", sentence, { jobId });
}

/** @throws SegmentationError if the job has failed: with the job's problem, or with its first task's */
export function assertSucceeded({ status, jobId, error, tasks }: JobStatus): void {
  if (status === "failed") throw problemError(error ?? tasks.find((task) => task.error)?.error, jobId);
}

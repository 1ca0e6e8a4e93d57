import type { AccessMode } from "../contract/account.ts";
import type { JobDefinition } from "./job/state.ts";

/** Who bears a job's units: the free trial's tokens, or the account. */
export type Fund = "trial" | "paid";

/** The fund of what an account of this mode uses. */
export const fundOf = (mode: AccessMode): Fund => (mode === "trial" ? "trial" : "paid");

/**
 * The most units that a job can use, reserved at its acceptance: a picture is one, and so is a processed frame of a
 * video, of which there are no more than the request and the operator allow.
 */
export function unitsToReserve(job: JobDefinition, maxVideoFrames: number): number {
  if (job.type === "image") return job.taskIds.length;
  return Math.min(maxVideoFrames, job.numFrames ?? Infinity, job.maxFrames ?? Infinity);
}

import type { AccessMode } from "../../contract/account.ts";
import type { JobDefinition } from "../jobs/state.ts";
import type { DailyUse } from "./daily-use.ts";
import type { TrialUse } from "./trial.ts";

/** Who pays for a job's units: the free trial with its tokens, or the account. */
export type Fund = "trial" | "paid";

/** The fund that pays for what an account of this access mode uses. */
export const fundOf = (accessMode: AccessMode): Fund => (accessMode === "trial" ? "trial" : "paid");

/** What an account has under way, and what it has used of its trial and of its day. */
export interface AccountUse {
  readonly activeJobs: number;
  /** The newest job under way. */
  readonly activeJobId: string | null;
  readonly trial: TrialUse;
  readonly daily: DailyUse;
}

/**
 * The most units that a job can use, reserved when it is accepted: a picture is one unit, and so is a processed frame
 * of a video. The request and the operator bound the number of frames.
 */
export function unitsToReserve(job: JobDefinition, maxVideoFrames: number): number {
  if (job.type === "image") return job.taskIds.length;
  return Math.min(maxVideoFrames, job.numFrames ?? Infinity, job.maxFrames ?? Infinity);
}

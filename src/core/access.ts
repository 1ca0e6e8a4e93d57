import type { ProcessingMode } from "../contract/primitives.ts";
import type { Lane } from "../inference/protocol.ts";

export type Plan = "trial" | "paid" | "blocked";

/** What an account may do. */
export interface Access {
  readonly canCreateJobs: boolean;
  readonly maxImageTasksPerJob: number;
  readonly maxActiveJobs: number;
}

/** The access of a plan; `maxActivePaid` is the operator's setting. */
export function accessOf(plan: Plan, maxActivePaid: number): Access {
  switch (plan) {
    case "trial":
      return { canCreateJobs: true, maxImageTasksPerJob: 3, maxActiveJobs: 1 };
    case "paid":
      return { canCreateJobs: true, maxImageTasksPerJob: 100, maxActiveJobs: maxActivePaid };
    case "blocked":
      return { canCreateJobs: false, maxImageTasksPerJob: 0, maxActiveJobs: 0 };
  }
}

/** The queue that a job's tasks go through: a single picture never stands behind a batch, nor a payer behind a trial. */
export function laneOf(plan: Plan, mode: ProcessingMode): Lane {
  if (plan === "trial") return "trial";
  return mode === "single" ? "interactive" : "bulk";
}

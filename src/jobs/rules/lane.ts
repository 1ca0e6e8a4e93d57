import type { Lane } from "@segmentation/protocol";
import type { AccessMode } from "../../billing/contract/billing.ts";
import type { ProcessingMode } from "../../shared/api/primitives.ts";

/** The queue for a job's tasks: a single picture never waits behind a batch, or a paying account behind a trial. */
export function laneOf(accessMode: AccessMode, processingMode: ProcessingMode): Lane {
  if (accessMode === "trial") return "trial";
  return processingMode === "single" ? "interactive" : "bulk";
}

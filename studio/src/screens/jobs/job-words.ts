import type { JobSummary } from "segmentation-client";
import { isCanceled } from "../../text/task-problems.ts";
import { counted } from "../../text/format.ts";

/** Tells whether a job has not ended. */
export const isUnderWay = ({ status }: Pick<JobSummary, "status">): boolean =>
  status === "queued" || status === "processing";

/** Returns the status of a job in a word. */
export function statusWord(
  { status, error }: Pick<JobSummary, "status" | "error">,
  wasCanceled = false,
): string {
  if (status === "failed") return wasCanceled || isCanceled(error) ? "Canceled" : "Failed";
  return { queued: "Queued", processing: "Running", success: "Done" }[status];
}

/** Describes the inputs of a job: "Video", "1 picture", "12 pictures". */
export const subjectOf = ({ type, totalItems }: Pick<JobSummary, "type" | "totalItems">): string =>
  type === "video" ? "Video" : counted(totalItems, "picture");

/** The prompts in a line; a job without any had objects pointed at. */
export const promptsText = (prompts: readonly string[]): string =>
  prompts.length === 0 ? "Objects by point or box" : prompts.join(", ");

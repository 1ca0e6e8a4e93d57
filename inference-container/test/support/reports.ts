import type { Completion, ImageTaskOutput, VideoTaskOutput } from "../../../src/inference/protocol.ts";

/** What a picture's task gave. @throws Error where it failed, or was no picture's */
export function imageOutput(report: Completion): ImageTaskOutput {
  if (report.outcome === "failed") throw new Error(`${report.problem.code}: ${report.problem.message}`);
  if (report.output.type !== "image") throw new Error("The task was no picture's.");
  return report.output;
}

/** What a clip's task gave. @throws Error where it failed, or was no clip's */
export function videoOutput(report: Completion): VideoTaskOutput {
  if (report.outcome === "failed") throw new Error(`${report.problem.code}: ${report.problem.message}`);
  if (report.output.type !== "video") throw new Error("The task was no clip's.");
  return report.output;
}

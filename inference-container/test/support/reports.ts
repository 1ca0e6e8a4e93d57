import type { Completion, ImageTaskOutput, TaskOutput, VideoTaskOutput } from "@segmentation/protocol";

/** What a picture's task gave. @throws Error where it did not succeed, or was no picture's */
export function imageOutput(report: Completion): ImageTaskOutput {
  const output = outputOf(report);
  if (output.type !== "image") throw new Error("The task was no picture's.");
  return output;
}

/** What a clip's task gave. @throws Error where it did not succeed, or was no clip's */
export function videoOutput(report: Completion): VideoTaskOutput {
  const output = outputOf(report);
  if (output.type !== "video") throw new Error("The task was no clip's.");
  return output;
}

function outputOf(report: Completion): TaskOutput {
  if (report.outcome === "success") return report.output;
  if (report.outcome === "returned") throw new Error("The task was handed back.");
  throw new Error(`${report.problem.code}: ${report.problem.message}`);
}

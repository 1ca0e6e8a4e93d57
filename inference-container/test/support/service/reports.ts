import type { Completion, ImageTaskOutput, TaskOutput, VideoTaskOutput } from "@segmentation/protocol";

/** The output of a picture's task. @throws Error if it did not succeed, or was not a picture's */
export function imageOutput(report: Completion): ImageTaskOutput {
  const output = outputOf(report);
  if (output.type !== "image") throw new Error("The task was not a picture's.");
  return output;
}

/** The output of a video's task. @throws Error if it did not succeed, or was not a video's */
export function videoOutput(report: Completion): VideoTaskOutput {
  const output = outputOf(report);
  if (output.type !== "video") throw new Error("The task was not a video's.");
  return output;
}

function outputOf(report: Completion): TaskOutput {
  if (report.outcome === "success") return report.output;
  if (report.outcome === "returned") throw new Error("The task was handed back.");
  throw new Error(`${report.problem.code}: ${report.problem.message}`);
}

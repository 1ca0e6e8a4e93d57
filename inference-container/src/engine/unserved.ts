import type { TaskProblem } from "@segmentation/protocol";
import type { Segmentation } from "../models/model.ts";
import { refused } from "../tasks/failure.ts";

/** What could not be looked for, in one notice; null where all could. @throws TaskFailure where no prompt could be served */
export function unservedNotice({ unserved }: Segmentation, prompts: number): TaskProblem | null {
  if (unserved.length === 0) return null;
  const failure = refused(
    "prompt_outside_vocabulary",
    [...new Set(unserved.map((prompt) => prompt.message))].join(" "),
  );
  if (new Set(unserved.map((prompt) => prompt.promptIndex)).size === prompts) throw failure;
  return failure.problem;
}

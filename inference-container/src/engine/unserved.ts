import { type Problem, problemOf } from "@segmentation/protocol";
import type { Segmentation } from "../models/model.ts";
import { TaskFailure } from "../tasks/failure.ts";

/** What could not be looked for, in one notice; null where all could. @throws TaskFailure where no prompt could be served */
export function unservedNotice({ unserved }: Segmentation, prompts: number): Problem | null {
  if (unserved.length === 0) return null;
  const explanation = [...new Set(unserved.map((prompt) => prompt.message))].join(" ");
  const problem = problemOf("prompt_outside_vocabulary", { explanation });
  if (new Set(unserved.map((prompt) => prompt.promptIndex)).size === prompts) throw new TaskFailure(problem);
  return problem;
}

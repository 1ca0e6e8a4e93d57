import { type Problem, problemOf } from "@segmentation/protocol";
import type { Segmentation } from "../models/model.ts";
import { TaskFailure } from "../failures.ts";

/**
 * One notice for all prompts that could not be served, or not wholly; null if all could.
 * @throws TaskFailure if none could, and nothing else was asked for
 */
export function unservedNotice(
  { unserved }: Segmentation,
  prompts: number,
  hasRegions: boolean,
): Problem | null {
  if (unserved.length === 0) return null;
  const explanation = [...new Set(unserved.map((prompt) => prompt.message))].join(" ");
  const outside = unserved.filter(({ isPart }) => isPart !== true);
  const code = outside.length > 0 ? "prompt_outside_vocabulary" : "prompt_partly_served";
  const problem = problemOf(code, { explanation });
  const isNoneServed = new Set(outside.map(({ promptIndex }) => promptIndex)).size === prompts;
  if (isNoneServed && !hasRegions) throw new TaskFailure(problem);
  return problem;
}

import { type Problem, problemOf } from "@segmentation/protocol";
import type { Segmentation } from "../models/model.ts";
import { TaskFailure } from "../failures.ts";

/**
 * One notice for all prompts that could not be served; null if all could.
 * @throws TaskFailure if none could, and nothing else was asked for
 */
export function unservedNotice(
  { unserved }: Segmentation,
  prompts: number,
  hasRegions: boolean,
): Problem | null {
  if (unserved.length === 0) return null;
  const explanation = [...new Set(unserved.map((prompt) => prompt.message))].join(" ");
  const problem = problemOf("prompt_outside_vocabulary", { explanation });
  const isNoneServed = new Set(unserved.map((prompt) => prompt.promptIndex)).size === prompts;
  if (isNoneServed && !hasRegions) throw new TaskFailure(problem);
  return problem;
}

/** One notice for both, because a task has room for only one. */
export function joinNotices(unserved: Problem | null, other: Problem | null): Problem | null {
  if (unserved === null || other === null) return unserved ?? other;
  const explanation = `${unserved.message} ${other.message}`;
  return problemOf("prompt_outside_vocabulary", { explanation });
}

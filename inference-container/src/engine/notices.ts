import { type Problem, problemOf } from "@segmentation/protocol";
import type { Segmentation } from "../models/model.ts";
import { taskFailure, TaskFailure } from "../failures.ts";
import type { Clip } from "../video/clip.ts";
import { LEAST_SHARE } from "../video/frame-list.ts";

/**
 * One notice for all prompts not or partly served; null without any.
 * @throws TaskFailure if none was, and the task asked for nothing else
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

/**
 * Notice about frames that could not be read; null if all could.
 *
 * @param got the number of planned frames that were read
 * @throws TaskFailure named video_unreadable if that is less than half of them
 */
export function missingNotice(got: number, planned: number, clip: Clip): Problem | null {
  if (got < LEAST_SHARE * planned)
    throw taskFailure("video_unreadable", {
      reason: `it is damaged, and only ${got} of the ${planned} frames to process can be decoded`,
    });
  const { lost, stamps } = clip.decoding.frames;
  if (lost > 0) return problemOf("frames_missing", { got: stamps.length, planned: stamps.length + lost });
  return got < planned ? problemOf("frames_missing", { got, planned }) : null;
}

import { MOST_MASKS_PER_PROMPT, MOST_MASKS_PER_TASK } from "@segmentation/protocol";

/** A result and an archive name every mask of their job, and both are made from one list of them. */
const MOST_MASKS_PER_JOB = 30_000;

/**
 * The most masks of one task, which its prompts share alike: as many of each as a picture may have, unless that is more than
 * a task may have, or more than the task's share of its job.
 */
export const mostMasks = ({ prompts, tasks }: { prompts: number; tasks: number }): number =>
  Math.min(MOST_MASKS_PER_PROMPT * prompts, MOST_MASKS_PER_TASK, Math.floor(MOST_MASKS_PER_JOB / tasks));

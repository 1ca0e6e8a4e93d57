import { MOST_MASKS_PER_PROMPT, MOST_MASKS_PER_TASK } from "@segmentation/protocol";

/** A result and an archive name every file of their job's masks, and both are made from one list of them. */
const MOST_MASK_FILES_PER_JOB = 30_000;

/**
 * The most masks of one task's prompts, which share them alike: as many of each as a picture may have, unless that is more than
 * a task may have, or more than the task's share of its job. The masks of the job's regions have their places first. With
 * cut-outs, a mask has two files.
 */
export const mostMasks = ({
  prompts,
  tasks,
  regions,
  cutouts = false,
}: {
  prompts: number;
  tasks: number;
  regions: number;
  cutouts?: boolean;
}): number =>
  Math.min(
    MOST_MASKS_PER_PROMPT * prompts,
    MOST_MASKS_PER_TASK - regions,
    Math.floor(MOST_MASK_FILES_PER_JOB / (cutouts ? 2 : 1) / tasks) - regions,
  );

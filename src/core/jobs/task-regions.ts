import type { TaskRegion } from "@segmentation/protocol";
import type { ImageJobDefinition } from "./state.ts";

/** The regions of one of a job's tasks, each with its index among all of the job's. */
export const regionsOfTask = ({ regions = [] }: ImageJobDefinition, taskId: string): TaskRegion[] =>
  regions.flatMap(({ taskId: of, ...where }, index) => (of === taskId ? [{ index, ...where }] : []));

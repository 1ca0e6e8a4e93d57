import type { CreateJobRequest } from "segmentation-client";
import type { ClipRegion } from "../workspace/rules/clip-regions.ts";
import { regionOn } from "../workspace/rules/pointed-objects.ts";

/** Request for one frame with the prompts and regions of a video's job. */
export interface FrameQuestion {
  readonly prompts: readonly string[];
  /** The regions of that frame. */
  readonly regions: readonly ClipRegion[];
}

/** Returns the request that searches a frame for the objects of a video's job. */
export const requestFor = (taskId: string, { prompts, regions }: FrameQuestion): CreateJobRequest => ({
  type: "image",
  tasks: [taskId],
  ...(prompts.length > 0 && { prompts: [...prompts] }),
  ...(regions.length > 0 && {
    regions: regions.map(({ region, label }) => ({
      ...regionOn(taskId, region),
      ...(label !== undefined && { label }),
    })),
  }),
});

import type { CreateJobRequest } from "segmentation-client";
import type { ClipRegion } from "../workspace/rules/clip-regions.ts";
import { type Instance, nameOf as nameOfInstance } from "../workspace/rules/instances.ts";
import { regionOn } from "../workspace/rules/pointed-objects.ts";
import type { Colour } from "../viewer/types.ts";
import { type ClipObject, colourOfPrompt, nameOf } from "./objects.ts";

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

/** Returns the name and the color of an object found in a tried frame: those of the video's list. @param objects the list */
export function shownAs(
  instance: Pick<Instance, "prompt" | "label" | "number" | "region">,
  { prompts, regions }: FrameQuestion,
  objects: readonly ClipObject[],
): { readonly label: string; readonly colour: Colour } {
  const { objectId } = regions[instance.region ?? -1] ?? {};
  const listed = objects.find(({ id }) => id === objectId);
  return listed === undefined
    ? {
        label: nameOfInstance(instance),
        colour: colourOfPrompt(prompts, instance.prompt ?? "", instance.number - 1),
      }
    : { label: nameOf(listed), colour: listed.colour };
}

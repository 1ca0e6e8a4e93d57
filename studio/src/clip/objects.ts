import type { Track } from "segmentation-client";
import { maskColour, objectColour } from "../viewer/colours.ts";
import type { Colour } from "../viewer/types.ts";

/** An object of a clip, as it is listed. */
export interface ClipObject {
  /** The `objectId` of masks.json. */
  readonly id: number;
  readonly prompt: string;
  /** The prompt's place among those of the job, from 0. */
  readonly promptIndex: number;
  /** Its place among the objects of its prompt, from 0, in the order in which they appear. */
  readonly index: number;
  readonly colour: Colour;
  /** In how many processed frames it was seen. */
  readonly sightings: number;
  /** In seconds. */
  readonly first: number;
  readonly last: number;
  /** The mean of its sightings, 0 to 1. */
  readonly confidence: number;
}

/** The objects of a clip, by prompt, in the order in which they appear. One that was never visible is left out. */
export function objectsOf(tracks: readonly Track[], prompts: readonly string[]): ClipObject[] {
  const counts = new Map<string, number>();
  const objects = tracks.flatMap(({ objectId, prompt = "", sightings }) => {
    const [first] = sightings;
    if (first === undefined) return [];
    const index = counts.get(prompt) ?? 0;
    counts.set(prompt, index + 1);
    const promptIndex = Math.max(0, prompts.indexOf(prompt));
    const sum = sightings.reduce((total, { confidence }) => total + confidence, 0);
    return [
      {
        id: objectId,
        prompt,
        promptIndex,
        index,
        colour: prompts.length > 1 ? maskColour(promptIndex, index) : objectColour(index),
        sightings: sightings.length,
        first: first.timeSec,
        last: sightings.at(-1)?.timeSec ?? first.timeSec,
        confidence: sum / sightings.length,
      },
    ];
  });
  return objects.toSorted((a, b) => a.promptIndex - b.promptIndex || a.index - b.index);
}

/** What a person calls an object. */
export const nameOf = ({ prompt, index }: ClipObject): string => `${prompt} ${index + 1}`;

import type { Sighting, Track } from "segmentation-client";
import { maskColour, objectColour } from "../viewer/colours.ts";
import type { Colour } from "../viewer/types.ts";
import { counted } from "../text/format.ts";
import { type ClipRegion, objectIdsIn } from "../workspace/rules/clip-regions.ts";
import { clock, isSure } from "./time.ts";

/** A listed object of a video. */
export interface ClipObject {
  /** The `objectId` of masks.json, and of the regions that point at it. */
  readonly id: number;
  /** Its prompt, or the name that a person gave; null if neither. */
  readonly label: string | null;
  /** Its place among the objects of its label, from 0, in the order in which they appear. */
  readonly index: number;
  /** True if it was pointed at, and not found by a prompt. */
  readonly isPointed: boolean;
  readonly colour: Colour;
  /** Times at which it was pointed at, in seconds, as far as this browser knows. */
  readonly pointedAt: readonly number[];
  /** Processed frames in which it was seen; empty before a job has tracked it. */
  readonly sightings: readonly Sighting[];
}

/** Objects that were pointed at begin at the other end of the palette than the prompts, as in pictures. */
const LAST_COLOUR = 9;

/**
 * The objects of a video: those of the prompts, in the order in which they appear, then those that were pointed at. One of a prompt that
 * was never visible is left out. @param regions what is pointed at, also by no job yet
 */
export function objectsOf(
  tracks: readonly Track[],
  prompts: readonly string[],
  regions: readonly ClipRegion[] = [],
): ClipObject[] {
  const counts = new Map<string | null, number>();
  const countedAs = (label: string | null): number => {
    const index = counts.get(label) ?? 0;
    counts.set(label, index + 1);
    return index;
  };
  const named = tracks
    .filter(({ region, sightings }) => region === undefined && sightings.length > 0)
    .toSorted((a, b) => prompts.indexOf(a.prompt ?? "") - prompts.indexOf(b.prompt ?? ""))
    .map(({ objectId: id, prompt = "", sightings }): ClipObject => {
      const index = countedAs(prompt);
      const colour = colourOfPrompt(prompts, prompt, index);
      return { id, label: prompt, index, isPointed: false, colour, pointedAt: [], sightings };
    });
  const followed = tracks.filter(({ region }) => region !== undefined);
  const ids = new Set([...objectIdsIn(regions), ...followed.map(({ objectId }) => objectId)]);
  const pointed = [...ids].map((id, place): ClipObject => {
    const own = regions.filter(({ objectId }) => objectId === id);
    const track = followed.find(({ objectId }) => objectId === id);
    const label = (own.length > 0 ? own[0]?.label : track?.label) ?? null;
    return {
      id,
      label,
      index: countedAs(label),
      isPointed: true,
      colour: maskColour(LAST_COLOUR - (place % (LAST_COLOUR + 1))),
      pointedAt: own.map(({ timeSeconds }) => timeSeconds).toSorted((a, b) => a - b),
      sightings: track?.sightings ?? [],
    };
  });
  return [...named, ...pointed];
}

/** Returns the color of a prompt's object. @param index its place among the objects of its prompt, from 0 */
export const colourOfPrompt = (prompts: readonly string[], prompt: string, index: number): Colour =>
  prompts.length > 1
    ? maskColour(Math.max(0, prompts.indexOf(prompt)), index, prompts.length)
    : objectColour(index);

/** Returns the displayed name of an object. */
export const nameOf = ({ label, index }: Pick<ClipObject, "label" | "index">): string =>
  `${label ?? "Object"} ${index + 1}`;

/** Returns the objects of a clip that people can name, as exports have them: those that were pointed at. */
export const nameableIn = (objects: readonly ClipObject[]) =>
  objects
    .filter(({ isPointed, pointedAt }) => isPointed && pointedAt.length > 0)
    .map((object) => ({
      object: String(object.id),
      label: object.label,
      title: nameOf(object).toLowerCase().replaceAll(" ", "-"),
    }));

/** Describes the spans in which an object is seen, and how sure they are. @param frames how many a job has processed; null before it has ended */
export function seenInWords({ sightings, isPointed, pointedAt }: ClipObject, frames: number | null): string {
  const [first] = sightings;
  const last = sightings.at(-1);
  const at = `pointed at ${pointedAt.map(clock).join(", ")}`;
  if (first === undefined || last === undefined)
    return frames === null || pointedAt.length === 0 ? at : `${at}; not tracked`;
  const mean = sightings.reduce((sum, { confidence }) => sum + confidence, 0) / sightings.length;
  const unsure = sightings.filter((sighting) => !isSure(sighting)).length;
  const lost = frames === null ? 0 : frames - sightings.length;
  return [
    `${counted(sightings.length, "frame")}, ${clock(first.timeSec)}–${clock(last.timeSec)}, ${Math.round(mean * 100)}%`,
    ...(isPointed && unsure > 0 ? [`unsure in ${unsure}`] : []),
    ...(isPointed && lost > 0 ? [`lost in ${lost}`] : []),
  ].join(", ");
}

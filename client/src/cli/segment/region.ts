import { parsePlace } from "@segmentation/masks";
import type { VideoJobRequest } from "../../schemas.ts";

/** An object's place in pixels; in a video also a time. */
export type Region = NonNullable<ReturnType<typeof parsePlace>> &
  Pick<NonNullable<VideoJobRequest["regions"]>[number], "label" | "timeSeconds" | "objectId">;

/** The forms of a region, for messages. */
export const REGION_FORMS =
  "a box such as 40,60,120,80 (left, top, width, height in pixels) or a point such as 430,200; in a video at a time, 430,200@1.5s; with a name, 'cup: 430,200', or a number for what is the same object, 'cup#1: 430,200@2s'";

const NAME = /^([^:]*?)\s*(?:#(\d{1,4})\s*)?:/;
const TIME = /@\s*(\d+(?:\.\d+)?)\s*s?\s*$/;

/**
 * Reads a region: a place (place-text.ts in masks), with a point on the object or a box of at least a pixel. A suffix
 * `@1.5s` is its time in a video. A prefix `cup:` is its label, `cup#1:` its label and its object's number, `#1:` the
 * number alone.
 * @returns undefined if the text is no region
 */
export function parseRegion(text: string): Region | undefined {
  const [head = "", label = "", number] = NAME.exec(text) ?? [];
  const [tail = "", time] = TIME.exec(text) ?? [];
  const place = parsePlace(text.slice(head.length, text.length - tail.length));
  const isNamed = head === "" || label.trim() !== "" || number !== undefined;
  if (place === undefined || !isNamed || !marksSomething(place)) return undefined;
  return {
    ...place,
    ...(label.trim() !== "" && { label: label.trim() }),
    ...(time !== undefined && { timeSeconds: Number(time) }),
    ...(number !== undefined && { objectId: Number(number) }),
  };
}

const marksSomething = (place: NonNullable<ReturnType<typeof parsePlace>>): boolean =>
  "box" in place ? place.box[2] >= 1 && place.box[3] >= 1 : place.points.some(({ label }) => label === 1);

/** The part of a region that only a video has, for messages; undefined if there is none. */
export const ofClipsOnly = ({ timeSeconds, objectId }: Region): string | undefined => {
  if (timeSeconds !== undefined) return "a time (@)";
  return objectId === undefined ? undefined : "an object's number (#)";
};

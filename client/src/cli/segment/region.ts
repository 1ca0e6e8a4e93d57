import type { VideoJobRequest } from "../../schemas.ts";

type Place = NonNullable<VideoJobRequest["regions"]>[number];

/**
 * An object's place in pixels: a box around it, or points on it (label 1) and outside it (label 0); in a clip also a
 * time.
 */
export type Region = Pick<Place, "label" | "timeSeconds" | "objectId"> &
  ({ readonly box: NonNullable<Place["box"]> } | { readonly points: NonNullable<Place["points"]> });

/** The forms of a region, for messages. */
export const REGION_FORMS =
  "a box such as 40,60,120,80 (left, top, width, height in pixels) or a point such as 430,200; in a clip at a time, 430,200@1.5s; with a name, 'cup: 430,200', or a number for what is the same object, 'cup#1: 430,200@2s'";

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NAME = /^([^:]*?)\s*(?:#(\d{1,4})\s*)?:/;
const TIME = /@\s*(\d+(?:\.\d+)?)\s*s?\s*$/;

/**
 * Reads a region: `X,Y,W,H` is a box, `X,Y` a point, and `X,Y;X,Y;!X,Y` several points, those after a `!` outside the
 * object. A suffix `@1.5s` is its time in a clip. A prefix `cup:` is its label, `cup#1:` its label and its object's
 * number, `#1:` the number alone.
 * @returns undefined if the text is no region
 */
export function parseRegion(text: string): Region | undefined {
  const [head = "", label = "", number] = NAME.exec(text) ?? [];
  const [tail = "", time] = TIME.exec(text) ?? [];
  const place = parsePlace(text.slice(head.length, text.length - tail.length));
  const isNamed = head === "" || label.trim() !== "" || number !== undefined;
  if (place === undefined || !isNamed) return undefined;
  return {
    ...place,
    ...(label.trim() !== "" && { label: label.trim() }),
    ...(time !== undefined && { timeSeconds: Number(time) }),
    ...(number !== undefined && { objectId: Number(number) }),
  };
}

function parsePlace(text: string): Region | undefined {
  const parts = text.split(";").map((part) => part.trim());
  const numbers = parts.map((part) => part.replace(/^!/, "").split(","));
  if (!numbers.flat().every((number) => NUMBER.test(number.trim()))) return undefined;
  const [x = NaN, y = NaN, width, height] = (numbers[0] ?? []).map(Number);
  if (numbers.length === 1 && numbers[0]?.length === 4 && width !== undefined && height !== undefined)
    return width >= 1 && height >= 1 && !text.includes("!") ? { box: [x, y, width, height] } : undefined;
  const isPoints = numbers.every(({ length }) => length === 2) && parts.some((part) => !part.startsWith("!"));
  if (!isPoints) return undefined;
  const points = numbers.map(([left, top], i) => ({
    x: Number(left),
    y: Number(top),
    label: parts[i]?.startsWith("!") === true ? (0 as const) : (1 as const),
  }));
  return { points };
}

/** The part of a region that only a clip has, for messages; undefined if there is none. */
export const ofClipsOnly = ({ timeSeconds, objectId }: Region): string | undefined => {
  if (timeSeconds !== undefined) return "a time (@)";
  return objectId === undefined ? undefined : "an object's number (#)";
};

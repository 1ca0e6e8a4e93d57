import type { PictureRegion } from "../../jobs/contract/region.ts";

/** The forms of a region, for messages. */
export const REGION_FORMS =
  "a point such as 430,200, several such as 430,200;!10,20 (! is outside the object), or a box such as 40,60,120,80 (left, top, width, height); with a name, saucer: 430,200";

const NUMBERS = /^\s*-?\d+(?:\.\d+)?\s*(?:,\s*-?\d+(?:\.\d+)?\s*)*$/;

/** Reads a region of a form, which the schema then checks: a box, or points, with a label before a colon. Null if it is none. */
export function regionOfText(text: string): PictureRegion | null {
  const colon = text.lastIndexOf(":");
  const label = colon === -1 ? undefined : text.slice(0, colon).trim();
  const places = text.slice(colon + 1).split(";");
  const coordinates = places.map((place) => numbersOf(place.replace(/^\s*!/, "")));
  const named = label === undefined ? {} : { label };
  const [x = 0, y = 0, width, height, ...more] = coordinates[0] ?? [];
  if (width !== undefined && height !== undefined && more.length === 0 && coordinates.length === 1)
    return text.includes("!") ? null : { box: [x, y, width, height], ...named };
  if (coordinates.some(({ length }) => length !== 2)) return null;
  const points = coordinates.map(([left = 0, top = 0], i) => ({
    x: left,
    y: top,
    label: places[i]?.trimStart().startsWith("!") === true ? (0 as const) : (1 as const),
  }));
  return { points, ...named };
}

const numbersOf = (text: string): number[] => (NUMBERS.test(text) ? text.split(",").map(Number) : []);

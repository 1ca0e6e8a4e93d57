import type { ImageJobRequest } from "../../schemas.ts";

type Place = NonNullable<ImageJobRequest["regions"]>[number];

/** Where an object is in a picture, in pixels: a box around it, or points on it (label 1) and outside it (label 0). */
export type Region =
  | { readonly box: NonNullable<Place["box"]> }
  | { readonly points: NonNullable<Place["points"]> };

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * Reads a region: `X,Y,W,H` is a box, `X,Y` a point, and `X,Y;X,Y;!X,Y` several, of which those after a `!` are outside the object.
 * @returns undefined if the text is none
 */
export function parseRegion(text: string): Region | undefined {
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

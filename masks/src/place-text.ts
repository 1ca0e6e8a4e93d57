import type { RegionPoint } from "./grids/region.ts";

const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/;

/**
 * Reads the place of an object as people type it, in pixels: `X,Y,W,H` is a box, `X,Y` a point, and `X,Y;X,Y;!X,Y` several
 * points, those after a `!` outside the object.
 * @returns undefined if the text is no place
 */
export function parsePlace(
  text: string,
): { box: [number, number, number, number] } | { points: RegionPoint[] } | undefined {
  const parts = text.split(";").map((part) => part.trim());
  const numbers = parts.map((part) => part.replace(/^!/, "").split(","));
  if (!numbers.flat().every((number) => NUMBER.test(number))) return undefined;
  const [[x = 0, y = 0, width, height, ...more] = [], ...others] = numbers.map((part) => part.map(Number));
  if (height !== undefined && width !== undefined && more.length === 0 && others.length === 0)
    return text.includes("!") ? undefined : { box: [x, y, width, height] };
  if (numbers.some(({ length }) => length !== 2)) return undefined;
  const points = numbers.map(([left, top], i) => ({
    x: Number(left),
    y: Number(top),
    label: parts[i]?.startsWith("!") === true ? (0 as const) : (1 as const),
  }));
  return { points };
}

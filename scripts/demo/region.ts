import type { Region } from "../../src/contract/region.ts";
import { usageError } from "../shared/command-line.ts";

/** A region of the photograph, whose taskId comes with its upload. */
export type DemoRegion =
  | { readonly box: NonNullable<Region["box"]> }
  | { readonly points: NonNullable<Region["points"]> };

/**
 * Reads a region: `X,Y,W,H` is a box, `X,Y;X,Y;!X,Y` are points, of which those after a `!` are beside the object.
 * @throws Failure, a usage error
 */
export function readRegion(text: string): DemoRegion {
  const parts = text.split(";").map((part) => {
    const isBeside = part.startsWith("!");
    return { isBeside, numbers: numbersOf(isBeside ? part.slice(1) : part) };
  });
  const [first, ...others] = parts;
  const [x, y, width, height] = first?.numbers ?? [];
  if (x !== undefined && y !== undefined && width !== undefined && height !== undefined) {
    if (others.length === 0 && !(first?.isBeside ?? true) && width >= 1 && height >= 1)
      return { box: [x, y, width, height] };
    throw notARegion(text);
  }
  const points = parts.map(({ isBeside, numbers }) => {
    const [pointX, pointY, more] = numbers;
    if (pointX === undefined || pointY === undefined || more !== undefined) throw notARegion(text);
    return { x: pointX, y: pointY, label: isBeside ? (0 as const) : (1 as const) };
  });
  if (points.every(({ label }) => label === 0)) throw notARegion(text);
  return { points };
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The numbers of a list; none if it is not one of two or four. */
function numbersOf(text: string): number[] {
  const parts = text.split(",").map((part) => part.trim());
  const isList = (parts.length === 2 || parts.length === 4) && parts.every((part) => NUMBER.test(part));
  return isList ? parts.map(Number) : [];
}

const notARegion = (text: string) =>
  usageError(
    `--region ${text} is neither a box, such as 40,60,120,80 (x, y, width, height), nor points, such as 100,90 or "100,90;!20,30" (! is beside the object).`,
  );

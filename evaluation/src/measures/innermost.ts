import type { Mask } from "./mask.ts";

/** The lengths of a straight and of a diagonal step. */
const [STRAIGHT, DIAGONAL] = [3, 4];

/**
 * The center of the pixel deepest in a mask, in picture pixels: a user would click there to mean the object. It is
 * farthest from the pixels outside the mask or the picture, by the 3-4 chamfer distance (G. Borgefors, "Distance
 * transformations in digital images", 1986); of several the last, column by column. Null if the mask is empty.
 */
export function innermost({ width, height, spans }: Mask): { readonly x: number; readonly y: number } | null {
  // A column, with one pixel outside above and below.
  const column = height + 2;
  const depth = new Int32Array((width + 2) * column);
  for (let i = 0; i < spans.length; i += 2)
    for (let at = spans[i] ?? 0; at < (spans[i + 1] ?? 0); at++) depth[padded(at, height)] = 0x7f_ff_00_00;
  const deepen = (at: number, back: 1 | -1): number => {
    const before = at - back * column;
    const least = Math.min(
      depth[at] ?? 0,
      (depth[at - back] ?? 0) + STRAIGHT,
      (depth[before] ?? 0) + STRAIGHT,
      (depth[before - 1] ?? 0) + DIAGONAL,
      (depth[before + 1] ?? 0) + DIAGONAL,
    );
    depth[at] = least;
    return least;
  };
  for (let at = column; at < depth.length - column; at++) if (depth[at] !== 0) deepen(at, 1);
  let [deepest, place] = [0, 0];
  for (let at = depth.length - column - 1; at >= column; at--) {
    if (depth[at] === 0 || deepen(at, -1) <= deepest) continue;
    deepest = depth[at] ?? 0;
    place = at;
  }
  if (deepest === 0) return null;
  return { x: Math.floor(place / column) - 0.5, y: (place % column) - 0.5 };
}

/** The index of a mask's pixel in the grid that has a pixel more on each side. */
const padded = (at: number, height: number): number =>
  (Math.floor(at / height) + 1) * (height + 2) + (at % height) + 1;

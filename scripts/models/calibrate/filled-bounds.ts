import { type Mask, maskOfSwitches } from "../evaluate/measures/mask.ts";

/** The mask of all pixels in the bounding box of a mask; an empty mask stays empty. */
export function filledBounds({ width, height, spans }: Mask): Mask {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let i = 0; i < spans.length; i += 2) {
    const [first, last] = [spans[i] ?? 0, (spans[i + 1] ?? 0) - 1];
    const [from, to] = [Math.floor(first / height), Math.floor(last / height)];
    [left, right] = [Math.min(left, from), Math.max(right, to + 1)];
    // A span over several columns passes the top and the bottom of the picture.
    top = from === to ? Math.min(top, first % height) : 0;
    bottom = from === to ? Math.max(bottom, (last % height) + 1) : height;
  }
  const columns = Math.max(0, right - left);
  const edges = Array.from({ length: columns }, (_, i) => [
    (left + i) * height + top,
    (left + i) * height + bottom,
  ]);
  return maskOfSwitches(width, height, Int32Array.from(edges.flat()));
}

import { type Mask, maskOfSwitches } from "./mask.ts";

/** A bounding box in pixels: `right` and `bottom` are exclusive. */
interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The bounding box of a mask. Of an empty mask, `left` and `top` are beyond `right` and `bottom`. */
export function boundsOf({ width, height, spans }: Mask): Bounds {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < spans.length; i += 2) {
    const [first, last] = [spans[i] ?? 0, (spans[i + 1] ?? 0) - 1];
    const [from, to] = [Math.floor(first / height), Math.floor(last / height)];
    [left, right] = [Math.min(left, from), Math.max(right, to + 1)];
    // A span over several columns touches the top and the bottom of the picture.
    top = from === to ? Math.min(top, first % height) : 0;
    bottom = from === to ? Math.max(bottom, (last % height) + 1) : height;
  }
  return { left, top, right, bottom };
}

/** The mask of all pixels in the bounding box of a mask; an empty mask stays empty. */
export function filledBounds(mask: Mask): Mask {
  const { width, height } = mask;
  const { left, top, right, bottom } = boundsOf(mask);
  const edges = Array.from({ length: Math.max(0, right - left) }, (_, i) => [
    (left + i) * height + top,
    (left + i) * height + bottom,
  ]);
  return maskOfSwitches(width, height, Int32Array.from(edges.flat()));
}

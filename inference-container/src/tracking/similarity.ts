/** How similar two boxes are in place and size. */
import { type Box, boxIou } from "../models/box.ts";

/**
 * The IoU of both boxes with each side moved outwards by `buffer` times the box's own width or height: above 0 for boxes
 * that are apart by less than their buffers, 1 for equal ones. With a buffer of 0 it is the plain IoU. F. Yang,
 * S. Odashima, S. Masui and S. Jiang, "Hard to Track Objects with Irregular Motions and Similar Appearances? Make It
 * Easier by Buffering the Matching Space", WACV 2023.
 */
export function bufferedIou(a: Box, b: Box, buffer: number): number {
  return boxIou(buffered(a, buffer), buffered(b, buffer));
}

function buffered([x1, y1, x2, y2]: Box, buffer: number): Box {
  const x = (x2 - x1) * buffer;
  const y = (y2 - y1) * buffer;
  return [x1 - x, y1 - y, x2 + x, y2 + y];
}

/** A mask's pixels, row by row: a byte each, 255 inside the object and 0 outside, as in the service's PNG. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Left, top, width and height in pixels of the picture. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** The share of two masks that they have in common, 0 to 1; 0 if both are empty. @throws RangeError if their sizes differ */
export function iou(a: Bitmap, b: Bitmap): number {
  if (a.width !== b.width || a.height !== b.height) throw new RangeError("The masks are of two sizes.");
  let common = 0;
  let either = 0;
  for (let i = 0; i < a.data.length; i++) {
    if (a.data[i] && b.data[i]) common++;
    if (a.data[i] || b.data[i]) either++;
  }
  return either === 0 ? 0 : common / either;
}

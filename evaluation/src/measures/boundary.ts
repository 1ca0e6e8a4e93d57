import { type Mask, maskOfPixels } from "./mask.ts";

/** A boundary's width as a share of the picture's diagonal: the paper's for pictures like COCO's. */
const WIDTH_OF_DIAGONAL = 0.02;

/**
 * A mask's pixels near its outline: within `d` steps, diagonal ones included, of a pixel outside the mask or the
 * picture. `d` is 2 % of the picture's diagonal, rounded, and at least 1.
 *
 * The IoU of two boundaries is the boundary IoU (Cheng, Girshick, Dollár, Berg and Kirillov, "Boundary IoU: Improving
 * Object-Centric Image Segmentation Evaluation", CVPR 2021), which also distinguishes the outlines of large objects.
 */
export function boundaryOf(mask: Mask): Mask {
  const { width, height, spans } = mask;
  const depth = Math.max(1, roundHalfToEven(WIDTH_OF_DIAGONAL * Math.sqrt(width ** 2 + height ** 2)));
  const pixels = new Uint8Array(width * height);
  // The number of set columns up to here in each row from `depth` pixels above to `depth` below.
  const thick = new Int32Array(height);
  const thickBefore = new Int32Array(height);
  let at = 0;
  for (let x = 0; x < width; x++) {
    thickBefore.set(thick);
    thick.fill(0);
    const bottom = (x + 1) * height;
    while (at < spans.length && (spans[at] ?? 0) < bottom) {
      const top = Math.max(spans[at] ?? 0, x * height) - x * height;
      const end = Math.min(spans[at + 1] ?? 0, bottom) - x * height;
      for (let y = top; y < end; y++) pixels[y * width + x] = 1;
      for (let y = top + depth; y < end - depth; y++) thick[y] = (thickBefore[y] ?? 0) + 1;
      // A span may continue in the next column.
      if ((spans[at + 1] ?? 0) > bottom) break;
      at += 2;
    }
    for (let y = 0; y < height; y++) if ((thick[y] ?? 0) > 2 * depth) pixels[y * width + x - depth] = 0;
  }
  return maskOfPixels(pixels, width, height);
}

/** As the paper's own program rounds: 12.5 pixels, of the frequent size 500 × 375, are 12. */
function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}

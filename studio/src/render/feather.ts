/** Weight of a pixel's neighbors in the sum of 16, by their distance in rows and columns. */
const WEIGHTS = [4, 2, 1] as const;
const ALL = 16;
/** A share that pixels along a straight edge do not exceed on its outer side. */
const OUTSIDE = 1 / 4;

interface Bits {
  readonly width: number;
  readonly height: number;
  /** A byte per pixel, 0 outside the mask. */
  readonly data: ArrayLike<number>;
}

/**
 * Returns the opacity of a mask's pixel, 0 to 1, with an edge that is feathered by a pixel: the share of the mask among the pixel and its
 * neighbors, without the area outside a straight edge, so that a cut-out has no fringe of its background.
 */
export function featheredAt({ width, height, data }: Bits, x: number, y: number): number {
  let sum = 0;
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++) {
      // Pixels beyond the picture are like its border.
      const column = Math.min(width - 1, Math.max(0, x + dx));
      const row = Math.min(height - 1, Math.max(0, y + dy));
      if (data[row * width + column]) sum += WEIGHTS[Math.abs(dx) + Math.abs(dy)] ?? 0;
    }
  return Math.max(0, sum / ALL - OUTSIDE) / (1 - OUTSIDE);
}

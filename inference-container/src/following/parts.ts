/** Votes on a grid of cells: their window around a box, and the connected parts that they form. */
import type { Corners, RegionPoint, Size } from "@segmentation/masks";
import { components } from "@segmentation/masks";

/** The margin of a window around a box, as a share of the box's sides. */
const SURROUNDINGS = 0.75;

/** The weight of votes at the window's edge; it is 1 within the box. */
const AT_THE_EDGE = 0.3;

/**
 * The weights of the cells' votes by their distance from a box: 1 within it, less around it, 0 further away.
 * @param frame the picture's size, in whose pixels the box is
 */
export function windowAbout(box: Corners, frame: Size, { width, height }: Size): Float32Array {
  const [x1, y1, x2, y2] = box;
  const [reachX, reachY] = [(x2 - x1) * SURROUNDINGS, (y2 - y1) * SURROUNDINGS];
  const [cellX, cellY] = [frame.width / width, frame.height / height];
  const window = new Float32Array(width * height);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const [x, y] = [(column + 0.5) * cellX, (row + 0.5) * cellY];
      // The margin around a small object is at least two cells.
      const out = Math.max(
        Math.max(x1 - x, x - x2) / Math.max(reachX, 2 * cellX),
        Math.max(y1 - y, y - y2) / Math.max(reachY, 2 * cellY),
        0,
      );
      window[row * width + column] = out > 1 ? 0 : 1 - (1 - AT_THE_EDGE) * out;
    }
  return window;
}

/** A connected part of the cells with votes. */
export interface Part {
  readonly cells: readonly number[];
  /** The sum of its votes. */
  readonly weight: number;
  /** In pixels of the picture. */
  readonly box: Corners;
  /** The middle of the cell with the most votes around it, in pixels of the picture. */
  readonly peak: Pick<RegionPoint, "x" | "y">;
}

/** The least vote of a cell that belongs to a part. */
export const LEAST_VOTES = 0.5;

/** The parts of the cells with at least `LEAST_VOTES`, the heaviest first. @param votes of each cell, row by row */
export function partsOf(votes: Float32Array, grid: Size, frame: Size): Part[] {
  const belongs = Uint8Array.from(votes, (vote) => (vote >= LEAST_VOTES ? 1 : 0));
  return components(grid, belongs, 1, true)
    .map(({ cells }) => partOf(cells(), votes, grid, frame))
    .toSorted((a, b) => b.weight - a.weight);
}

function partOf(cells: readonly number[], votes: Float32Array, { width, height }: Size, frame: Size): Part {
  const [cellX, cellY] = [frame.width / width, frame.height / height];
  let [left, top, right, bottom] = [width, height, 0, 0];
  let [weight, most, peak] = [0, -1, 0];
  for (const cell of cells) {
    const [x, y] = [cell % width, Math.floor(cell / width)];
    [left, top, right, bottom] = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x + 1),
      Math.max(bottom, y + 1),
    ];
    weight += votes[cell] ?? 0;
    const around = sumAround(votes, x, y, { width, height });
    if (around > most) [most, peak] = [around, cell];
  }
  return {
    cells,
    weight,
    box: [left * cellX, top * cellY, right * cellX, bottom * cellY],
    peak: { x: ((peak % width) + 0.5) * cellX, y: (Math.floor(peak / width) + 0.5) * cellY },
  };
}

/** The distance in cells over which votes are summed: a part's peak is not at its border. */
const AROUND = 2;

/** Sum of a cell's value and its neighbors' values. @param votes of each cell of the grid, row by row */
export function sumAround(votes: Float32Array, x: number, y: number, { width, height }: Size): number {
  let sum = 0;
  for (let dy = -AROUND; dy <= AROUND; dy += 1)
    for (let dx = -AROUND; dx <= AROUND; dx += 1) {
      const [nx, ny] = [x + dx, y + dy];
      if (nx >= 0 && ny >= 0 && nx < width && ny < height) sum += votes[ny * width + nx] ?? 0;
    }
  return sum;
}

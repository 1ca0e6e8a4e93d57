/** Removes specks from a mask on its logit grid: small separate parts and small holes. */
import { gridExtent, samplesAt } from "../mask-shape.ts";
import type { LogitGrid, Region } from "../model.ts";
import type { MaskDrawing } from "./manifest.ts";
import type { Size } from "../../size.ts";

export type Cleaning = Pick<MaskDrawing, "islandShare" | "holeShare">;

/** The most grid cells of a speck, whatever the object's size: the grid resolves nothing finer. */
const SPECK = 4;

/**
 * Drops small parts of a region's mask, and fills its holes: of points only specks, as whoever clicks may want a hole. A part or a
 * hole stays if a point says so, or if the mask that the region corrects has it: an earlier point may have drawn it.
 * @param picture the size of the picture, in whose pixels the region is
 */
export function cleanRegion(
  grid: LogitGrid,
  { points, prior }: Partial<Region>,
  picture: Size,
  cleaning: Cleaning,
): LogitGrid {
  const pointed = (points ?? []).map((point) => ({
    isSet: point.label === 1,
    cells: samplesAt(grid, point, picture).map(({ cell }) => cell),
  }));
  return cleanMask(
    grid,
    points === undefined ? cleaning : { ...cleaning, holeShare: 0 },
    (cell, isSet) =>
      pointed.some((point) => point.isSet === isSet && point.cells.includes(cell)) ||
      (prior !== undefined && (prior.logits[cell] ?? 0) > 0 === isSet),
  );
}

/**
 * Fills holes, then drops islands, by changing the sign of their logits, so that a bilinear zero crossing runs around
 * what is left. Parts connect over edges and corners, holes over edges only.
 * @param stays returns true for a cell whose part, or whose hole if `isSet` is false, must not change
 */
export function cleanMask(
  grid: LogitGrid,
  { islandShare, holeShare }: Cleaning,
  stays: (cell: number, isSet: boolean) => boolean = () => false,
): LogitGrid {
  // What lies around the rectangle of the set cells is connected with the picture's edge: neither holes nor parts leave it.
  const { area, left, top, right, bottom } = gridExtent(grid);
  const within = { width: right - left, height: bottom - top };
  const logits = new Float32Array(within.width * within.height);
  const startOf = (row: number): number => (top + row) * grid.width + left;
  for (let row = 0; row < within.height; row += 1)
    logits.set(grid.logits.subarray(startOf(row), startOf(row) + within.width), row * within.width);
  const mayFlip = (cells: readonly number[], isSet: boolean): boolean =>
    !cells.some((cell) => stays(startOf(Math.floor(cell / within.width)) + (cell % within.width), isSet));

  for (const { cells, touchesEdge } of components(within, (i) => (logits[i] ?? 0) <= 0, false))
    if (!touchesEdge && cells.length < Math.max(SPECK + 1, holeShare * area) && mayFlip(cells, false))
      flip(logits, cells);

  const parts = components(within, (i) => (logits[i] ?? 0) > 0, true);
  const largest = Math.max(0, ...parts.map((part) => part.cells.length));
  for (const { cells } of parts)
    if (
      cells.length < largest &&
      cells.length < Math.max(SPECK + 1, islandShare * largest) &&
      mayFlip(cells, true)
    )
      flip(logits, cells);
  const cleaned = grid.logits.slice();
  for (let row = 0; row < within.height; row += 1)
    cleaned.set(logits.subarray(row * within.width, (row + 1) * within.width), startOf(row));
  return { ...grid, logits: cleaned };
}

export interface Component {
  readonly cells: readonly number[];
  readonly touchesEdge: boolean;
}

/** The connected sets of a grid's cells that satisfy `belongs`, by flood fill. */
export function components(
  { width, height }: Size,
  belongs: (cell: number) => boolean,
  overCorners: boolean,
): Component[] {
  const seen = new Uint8Array(width * height);
  const found: Component[] = [];
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || !belongs(start)) continue;
    seen[start] = 1;
    const cells = [start];
    let touchesEdge = false;
    // The array grows during the loop: it is the queue of the fill.
    for (const cell of cells) {
      const [x, y] = [cell % width, Math.floor(cell / width)];
      touchesEdge ||= x === 0 || y === 0 || x === width - 1 || y === height - 1;
      for (let dy = -1; dy <= 1; dy += 1)
        for (let dx = -1; dx <= 1; dx += 1) {
          const [nx, ny] = [x + dx, y + dy];
          const next = ny * width + nx;
          if (nx < 0 || ny < 0 || nx >= width || ny >= height || seen[next] === 1) continue;
          if ((!overCorners && dx !== 0 && dy !== 0) || !belongs(next)) continue;
          seen[next] = 1;
          cells.push(next);
        }
    }
    found.push({ cells, touchesEdge });
  }
  return found;
}

/** Inside means above zero: a logit of exactly zero is outside. */
function flip(logits: Float32Array, cells: readonly number[]): void {
  for (const cell of cells) logits[cell] = -(logits[cell] ?? 0) || Number.EPSILON;
}

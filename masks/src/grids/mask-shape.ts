/** Areas, overlaps and bounds of masks on grids of logits: a cell is set if its logit is above 0. */
import type { Corners, LogitGrid, Size } from "./region.ts";

/**
 * The number of set cells, and their rectangle, from `left` and `top` to before `right` and `bottom`; all 0 if none is
 * set.
 */
interface Extent {
  readonly area: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The extents of masks in use, which are compared many times: their logits never change. */
const extents = new WeakMap<LogitGrid, Extent>();

export function gridExtent(grid: LogitGrid): Extent {
  const extent = extents.get(grid) ?? measured(grid);
  extents.set(grid, extent);
  return extent;
}

function measured({ width, height, logits }: LogitGrid): Extent {
  let [area, left, top, right, bottom] = [0, width, height, 0, 0];
  for (let y = 0, row = 0; y < height; y += 1, row += width) {
    const before = area;
    let [first, last] = [-1, 0];
    for (let x = 0; x < width; x += 1)
      if ((logits[row + x] ?? 0) > 0) {
        area += 1;
        last = x;
        if (first < 0) first = x;
      }
    if (area === before) continue;
    if (first < left) left = first;
    if (last >= right) right = last + 1;
    if (before === 0) top = y;
    bottom = y + 1;
  }
  return area === 0 ? { area, left: 0, top: 0, right: 0, bottom: 0 } : { area, left, top, right, bottom };
}

/** The number of set cells. */
export const gridArea = (grid: LogitGrid): number => gridExtent(grid).area;

/** The number of cells that are set in both of two grids of one size. */
export function gridOverlap(a: LogitGrid, b: LogitGrid): number {
  const [one, other] = [gridExtent(a), gridExtent(b)];
  const [left, right] = [Math.max(one.left, other.left), Math.min(one.right, other.right)];
  const bottom = Math.min(one.bottom, other.bottom);
  let both = 0;
  for (let y = Math.max(one.top, other.top); y < bottom; y += 1)
    for (let cell = y * a.width + left; cell < y * a.width + right; cell += 1)
      if ((a.logits[cell] ?? 0) > 0 && (b.logits[cell] ?? 0) > 0) both += 1;
  return both;
}

/** Intersection over union of two grids of one size, 0 to 1; 0 if both are empty. */
export function gridIou(a: LogitGrid, b: LogitGrid): number {
  const both = gridOverlap(a, b);
  const either = gridArea(a) + gridArea(b) - both;
  return either === 0 ? 0 : both / either;
}

/** The box around the set cells, in the pixels of the picture over which the grid is stretched; undefined if none is set. */
export function gridBounds(grid: LogitGrid, picture: Size): Corners | undefined {
  const { area, left, top, right, bottom } = gridExtent(grid);
  const [scaleX, scaleY] = [picture.width / grid.width, picture.height / grid.height];
  return area === 0 ? undefined : [left * scaleX, top * scaleY, right * scaleX, bottom * scaleY];
}

/** A cell of a grid, and its share in the value of a pixel. */
interface Sample {
  readonly cell: number;
  readonly weight: number;
}

/** The cells that decide a pixel of the picture's mask, as `findRuns` resizes the grid. */
export function samplesAt(
  grid: Size,
  { x, y }: { readonly x: number; readonly y: number },
  picture: Size,
): Sample[] {
  const rows = samplesOf(y, picture.height, grid.height);
  return samplesOf(x, picture.width, grid.width).flatMap((column) =>
    rows.map((row) => ({ cell: row.cell * grid.width + column.cell, weight: row.weight * column.weight })),
  );
}

/** The samples of one axis. */
function samplesOf(place: number, pixels: number, cells: number): Sample[] {
  const middle = ((Math.floor(place) + 0.5) * cells) / pixels - 0.5;
  const at = Math.min(Math.max(middle, 0), cells - 1);
  const cell = Math.floor(at);
  const next = { cell: cell + 1, weight: at - cell };
  return [{ cell, weight: 1 - next.weight }, ...(next.weight > 0 ? [next] : [])];
}

/** The mask shifted by a number of picture pixels, to the nearest cell; cells shifted in from beyond the edge are not set. */
export function gridMoved(
  { width, height, logits }: LogitGrid,
  picture: Size,
  [dx, dy]: readonly [number, number],
): LogitGrid {
  const moved = new Float32Array(width * height).fill(OUTSIDE);
  const [right, down] = [
    Math.round((dx * width) / picture.width),
    Math.round((dy * height) / picture.height),
  ];
  for (let y = Math.max(0, down); y < Math.min(height, height + down); y += 1)
    for (let x = Math.max(0, right); x < Math.min(width, width + right); x += 1)
      moved[y * width + x] = logits[(y - down) * width + (x - right)] ?? OUTSIDE;
  return { width, height, logits: moved };
}

/** Certainly not the object, on the scale of SAM's logits. */
const OUTSIDE = -10;

import { type Mask, maskOfSwitches } from "./mask.ts";

/** The COCO API draws outlines on a grid this many times finer than the pixels. */
const FINER = 5;
/** The fine column in a pixel's middle: an edge that leaves it to the right changes the pixel's column. */
const MIDDLE = 2;

/**
 * The union of polygons, each a list of x, y, x, y, …, in pixels from the picture's upper left corner. Every pixel is
 * the COCO API's (rleFrPoly in maskApi.c). It rounds an outline's edges to a grid five times finer, and steps along
 * their longer side. Where a step crosses the middle of a pixel's column, it switches the mask from there on down.
 */
export function maskOfPolygons(
  polygons: readonly (readonly number[])[],
  width: number,
  height: number,
): Mask {
  const masks = polygons.map((polygon) => maskOfPolygon(polygon, width, height));
  const [only] = masks;
  return masks.length === 1 && only !== undefined ? only : union(masks, width, height);
}

function maskOfPolygon(polygon: readonly number[], width: number, height: number): Mask {
  const fine = polygon.map((coordinate) => Math.trunc(FINER * coordinate + 0.5));
  const places: number[] = [];
  for (let i = 0; i + 1 < fine.length; i += 2) {
    const next = i + 3 < fine.length ? i + 2 : 0;
    crossings(fine[i] ?? 0, fine[i + 1] ?? 0, fine[next] ?? 0, fine[next + 1] ?? 0, (fineX, fineY) => {
      const x = (fineX - MIDDLE) / FINER;
      // Columns to the right of the picture come after its last pixel, where nothing changes.
      if (!Number.isInteger(x) || x < 0) return;
      const y = Math.ceil((fineY - MIDDLE) / FINER);
      places.push(x * height + Math.min(Math.max(y, 0), height));
    });
  }
  return maskOfSwitches(width, height, Int32Array.from(places));
}

/** Visits the steps of an edge on the fine grid from one column into the next, each by its upper left point. */
function crossings(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  visit: (x: number, y: number) => void,
): void {
  const [wide, high] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  const backwards = wide >= high ? x1 > x2 : y1 > y2;
  const [fromX, fromY, toX, toY] = backwards ? [x2, y2, x1, y1] : [x1, y1, x2, y2];
  const slope = wide >= high ? (toY - fromY) / wide : (toX - fromX) / high;
  const long = Math.max(wide, high);
  let [lastX, lastY] = [fromX, fromY];
  for (let step = 1; step <= long; step++) {
    const x = wide >= high ? fromX + step : Math.trunc(fromX + slope * step + 0.5);
    const y = wide >= high ? Math.trunc(fromY + slope * step + 0.5) : fromY + step;
    if (x !== lastX) visit(Math.min(x, lastX), Math.min(y, lastY));
    [lastX, lastY] = [x, y];
  }
}

function union(masks: readonly Mask[], width: number, height: number): Mask {
  const spans = masks
    .flatMap(({ spans: places }) =>
      Array.from({ length: places.length / 2 }, (_, i) => places.subarray(2 * i, 2 * i + 2)),
    )
    .toSorted(([a = 0], [b = 0]) => a - b);
  const places: number[] = [];
  let end = -1;
  for (const [from = 0, to = 0] of spans) {
    if (from > end) places.push(from, to);
    else if (to > end) places.splice(-1, 1, to);
    end = Math.max(end, to);
  }
  return maskOfSwitches(width, height, Int32Array.from(places));
}

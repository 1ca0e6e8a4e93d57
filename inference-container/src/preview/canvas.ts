import type { Rgb } from "./colour.ts";

/** A picture to draw on: three sRGB bytes per pixel, row by row. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A rectangle in pixels; the right and lower edges are exclusive. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Blends one byte toward another; `alpha` is 0 to 1. */
function blend(under: number, over: number, alpha: number): number {
  return Math.round(under + (over - under) * alpha);
}

/** Blends one pixel toward a color; `alpha` is 0 to 1. */
function blendPixel({ rgb }: Canvas, pixel: number, colour: Rgb, alpha: number): void {
  const at = pixel * 3;
  rgb[at] = blend(rgb[at] ?? 0, colour[0], alpha);
  rgb[at + 1] = blend(rgb[at + 1] ?? 0, colour[1], alpha);
  rgb[at + 2] = blend(rgb[at + 2] ?? 0, colour[2], alpha);
}

/** Fills a rectangle with rounded corners; its edge is anti-aliased by the distance to the outline. `alpha` is 0 to 1. */
export function fillRounded(canvas: Canvas, rect: Rect, radius: number, colour: Rgb, alpha: number): void {
  const [fromX, toX] = [Math.max(rect.left, 0), Math.min(rect.left + rect.width, canvas.width)];
  const [fromY, toY] = [Math.max(rect.top, 0), Math.min(rect.top + rect.height, canvas.height)];
  for (let y = fromY; y < toY; y++) {
    const dy = Math.max(beyond(y, rect.top, rect.height, radius), 0);
    for (let x = fromX; x < toX; x++) {
      const dx = beyond(x, rect.left, rect.width, radius);
      // Away from the corners it is the distance to one edge: no root is needed.
      const distance = (dx > 0 ? Math.hypot(dx, dy) : dy) - radius;
      const coverage = Math.min(Math.max(0.5 - distance, 0), 1);
      if (coverage > 0) blendPixel(canvas, y * canvas.width + x, colour, alpha * coverage);
    }
  }
}

/** The distance of a pixel's center beyond the center of the nearer corner's arc, along one axis. */
function beyond(pixel: number, start: number, extent: number, radius: number): number {
  return Math.abs(pixel + 0.5 - start - extent / 2) - extent / 2 + radius;
}

/** Paints a coverage map (0 to 255 per pixel) in one color. */
export function paint(canvas: Canvas, coverage: Uint8Array, place: Rect, colour: Rgb): void {
  for (let y = 0; y < place.height; y++) {
    for (let x = 0; x < place.width; x++) {
      const alpha = (coverage[y * place.width + x] ?? 0) / 255;
      if (alpha === 0) continue;
      const toX = place.left + x;
      const toY = place.top + y;
      if (toX < 0 || toY < 0 || toX >= canvas.width || toY >= canvas.height) continue;
      blendPixel(canvas, toY * canvas.width + toX, colour, alpha);
    }
  }
}

import type { Rgb } from "./colour.ts";

/** Three sRGB bytes a pixel to draw on. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A rectangle in pixels; the right and lower edges are outside. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Blends one pixel towards a colour; `alpha` is 0 to 1. */
function blendPixel(canvas: Canvas, pixel: number, colour: Rgb, alpha: number): void {
  const at = pixel * 3;
  for (let channel = 0; channel < 3; channel++) {
    const under = canvas.rgb[at + channel] ?? 0;
    canvas.rgb[at + channel] = Math.round(under + ((colour[channel] ?? 0) - under) * alpha);
  }
}

/** Fills a rectangle with rounded corners; its edge is smoothed by the distance to the outline. */
export function fillRounded(canvas: Canvas, rect: Rect, radius: number, colour: Rgb, alpha: number): void {
  for (let y = Math.max(rect.top, 0); y < Math.min(rect.top + rect.height, canvas.height); y++) {
    for (let x = Math.max(rect.left, 0); x < Math.min(rect.left + rect.width, canvas.width); x++) {
      const dx = Math.abs(x + 0.5 - rect.left - rect.width / 2) - rect.width / 2 + radius;
      const dy = Math.abs(y + 0.5 - rect.top - rect.height / 2) - rect.height / 2 + radius;
      const distance = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) - radius;
      const coverage = Math.min(Math.max(0.5 - distance, 0), 1);
      if (coverage > 0) blendPixel(canvas, y * canvas.width + x, colour, alpha * coverage);
    }
  }
}

/** Paints a coverage map (0 to 255 a pixel) in one colour. */
export function paint(canvas: Canvas, coverage: Uint8Array, place: Rect, colour: Rgb): void {
  for (let y = 0; y < place.height; y++) {
    for (let x = 0; x < place.width; x++) {
      const toX = place.left + x;
      const toY = place.top + y;
      if (toX < 0 || toY < 0 || toX >= canvas.width || toY >= canvas.height) continue;
      const alpha = (coverage[y * place.width + x] ?? 0) / 255;
      if (alpha > 0) blendPixel(canvas, toY * canvas.width + toX, colour, alpha);
    }
  }
}

import type { BitMask } from "../masks/bit-mask.ts";
import type { Bounds } from "./bounds.ts";
import type { Canvas } from "./canvas.ts";
import type { Rgb } from "./colour.ts";
import { depthOf } from "./depth.ts";

const FILL_ALPHA = 0.42;
const LINE_ALPHA = 0.96;

/** A mask at the preview's size, in its colour. */
export interface Layer {
  readonly mask: BitMask;
  readonly bounds: Bounds;
  readonly colour: Rgb;
}

/**
 * Tints each layer's pixels and draws its outline, `line` pixels wide. Later layers lie on top; every pixel is blended
 * once, so that tints under tints don't turn to mud.
 */
export function drawOverlay(canvas: Canvas, layers: readonly Layer[], line: number): void {
  const owner = new Uint16Array(canvas.width * canvas.height);
  const alpha = new Float32Array(owner.length);
  layers.forEach(({ mask, bounds }, index) => {
    const { left, top, width, height, depth } = depthOf(mask, bounds);
    for (let at = 0; at < width * height; at++) {
      const units = depth[at] ?? 0;
      if (units === 0) continue;
      const edge = Math.min(Math.max(line + 1 - units / 3, 0), 1);
      const pixel = (top + Math.floor(at / width)) * canvas.width + left + (at % width);
      owner[pixel] = index + 1;
      alpha[pixel] = FILL_ALPHA + (LINE_ALPHA - FILL_ALPHA) * edge;
    }
  });
  const { rgb } = canvas;
  for (let pixel = 0; pixel < owner.length; pixel++) {
    const layer = layers[(owner[pixel] ?? 0) - 1];
    if (layer === undefined) continue;
    const share = alpha[pixel] ?? 0;
    const [red, green, blue] = layer.colour;
    const at = pixel * 3;
    rgb[at] = (rgb[at] ?? 0) * (1 - share) + red * share;
    rgb[at + 1] = (rgb[at + 1] ?? 0) * (1 - share) + green * share;
    rgb[at + 2] = (rgb[at + 2] ?? 0) * (1 - share) + blue * share;
  }
}

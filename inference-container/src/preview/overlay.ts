import type { Bounds, RowRuns } from "@segmentation/masks";
import type { Canvas } from "./canvas.ts";
import type { Rgb } from "./colour.ts";
import type { Step } from "../steps.ts";
import { Erosion } from "./erosion.ts";

const FILL_ALPHA = 0.42;
const LINE_ALPHA = 0.96;

/** A mask at the canvas's size, and its color. */
export interface Layer {
  readonly runs: RowRuns;
  readonly bounds: Bounds;
  readonly colour: Rgb;
}

/** A layer's shades: its line, two steps that smooth the line's inner edge (a pixel is three thirds deep), its fill. */
const SHADES = 4;
/** The bytes of a shade's table: a result for each byte of red, of green and of blue. */
const SHADE_BYTES = 3 * 256;

/** The rows of layers in a step: some 10 ms. */
const STEP_ROWS = 2_000;

/**
 * Tints each layer's pixels and draws its outline, `line` pixels wide. Later layers lie on top. Every pixel is blended
 * once: stacked tints would turn muddy. At most 16,383 layers have separate shades.
 */
export async function drawOverlay(
  canvas: Canvas,
  all: readonly Layer[],
  line: number,
  step: Step,
): Promise<void> {
  // Of layers with the same mask only the uppermost shows.
  const uppermost = new Map(all.map(({ runs }, at) => [runs, at]));
  const layers = all.filter(({ runs }, at) => uppermost.get(runs) === at);
  const shades = shadesOf(layers, line);
  const depths = [0, 1, 2].map((thirds) => new Erosion(3 * line + thirds, canvas.width));
  const shown = new Uint16Array(canvas.width);
  let rows = 0;
  for (let y = 0; y < canvas.height; y++) {
    if (rows >= STEP_ROWS) {
      await step();
      rows = 0;
    }
    let left = canvas.width;
    let right = 0;
    for (const [index, { runs, bounds }] of layers.entries()) {
      if (y < bounds.top || y >= bounds.bottom) continue;
      rows++;
      left = Math.min(left, bounds.left);
      right = Math.max(right, bounds.right);
      const shade = index * SHADES + 1;
      fill(shown, runs.edges, runs.starts[y] ?? 0, runs.starts[y + 1] ?? 0, shade);
      for (const [depth, erosion] of depths.entries()) {
        const inner = erosion.row(runs, y);
        fill(shown, inner.edges, 0, inner.length, shade + depth + 1);
      }
    }
    if (left >= right) continue;
    blendRow(canvas.rgb, y * canvas.width, shown, left, right, shades);
    shown.fill(0, left, right);
  }
}

function fill(shown: Uint16Array, edges: Int32Array, from: number, end: number, shade: number): void {
  for (let at = from; at < end; at += 2) shown.fill(shade, edges[at], edges[at + 1]);
}

/** Blends the pixels [left, right) of a row that starts at pixel `row` with their shades; 0 is none. */
function blendRow(
  rgb: Uint8Array,
  row: number,
  shown: Uint16Array,
  left: number,
  right: number,
  shades: Uint8Array,
): void {
  for (let x = left; x < right;) {
    const shade = shown[x] ?? 0;
    const from = (row + x) * 3;
    do x++;
    while (x < right && shown[x] === shade);
    if (shade === 0) continue;
    const reds = (shade - 1) * SHADE_BYTES;
    const end = (row + x) * 3;
    for (let at = from; at < end; at += 3) {
      rgb[at] = shades[reds + (rgb[at] ?? 0)] ?? 0;
      rgb[at + 1] = shades[reds + 256 + (rgb[at + 1] ?? 0)] ?? 0;
      rgb[at + 2] = shades[reds + 512 + (rgb[at + 2] ?? 0)] ?? 0;
    }
  }
}

/** The tables of all layers' shades: looking up a byte costs less than blending it for each pixel. */
function shadesOf(layers: readonly Layer[], line: number): Uint8Array {
  const shades = new Uint8Array(layers.length * SHADES * SHADE_BYTES);
  let at = 0;
  for (const { colour } of layers) {
    for (let shade = 0; shade < SHADES; shade++) {
      const depth = 3 * line + shade;
      const edge = Math.min(Math.max(line + 1 - depth / 3, 0), 1);
      // In single precision: the results are truncated to bytes, which must be the same everywhere.
      const alpha = Math.fround(FILL_ALPHA + (LINE_ALPHA - FILL_ALPHA) * edge);
      for (const light of colour) {
        for (let under = 0; under < 256; under++) shades[at++] = under * (1 - alpha) + light * alpha;
      }
    }
  }
  return shades;
}

import type { PackedMask } from "../viewer/masks/packed.ts";

/** Part of a drawing: the coverage of each pixel by a mask, 0 to 255, row by row. */
interface Coverage {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly alpha: Uint8Array;
}

/** Maps a row or column of the picture to a drawing that is scaled by `scale`. */
const placed = (at: number, scale: number, side: number): number =>
  Math.min(Math.floor(at * scale), side - 1);

/** Counts the picture's rows or columns in each of a drawing's. */
function countsOf(pictureSide: number, side: number, scale: number): Uint16Array {
  const counts = new Uint16Array(side);
  for (let at = 0; at < pictureSide; at++) {
    const to = placed(at, scale, side);
    counts[to] = (counts[to] ?? 0) + 1;
  }
  return counts;
}

/** Sizes in pixels: of the picture that a mask belongs to, and of a drawing of it, which is as large or smaller. */
export interface Scaling {
  readonly picture: { readonly width: number; readonly height: number };
  readonly drawing: { readonly width: number; readonly height: number };
}

/** A mask in the pixels of a drawing. Each has the share of the picture's pixels in it that are inside the mask. */
export function coverageOf(mask: PackedMask, { picture, drawing }: Scaling): Coverage {
  const [across, down] = [drawing.width / picture.width, drawing.height / picture.height];
  const columns = countsOf(picture.width, drawing.width, across);
  const rows = countsOf(picture.height, drawing.height, down);
  const right = Math.min(mask.x + mask.stride * 8, picture.width);
  const [x, y] = [placed(mask.x, across, drawing.width), placed(mask.y, down, drawing.height)];
  if (mask.area === 0) return { x, y, width: 0, height: 0, alpha: new Uint8Array() };
  const width = placed(right - 1, across, drawing.width) - x + 1;
  const height = placed(mask.y + mask.rows - 1, down, drawing.height) - y + 1;
  const inside = new Uint32Array(width * height);
  const places = Uint16Array.from(
    { length: right - mask.x },
    (_, i) => placed(mask.x + i, across, drawing.width) - x,
  );
  for (let row = 0; row < mask.rows; row++) {
    const target = (placed(mask.y + row, down, drawing.height) - y) * width;
    for (let i = 0; i < mask.stride; i++) {
      const byte = mask.bits[row * mask.stride + i] ?? 0;
      // Most bytes are clear.
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit++) {
        if ((byte & (128 >> bit)) === 0) continue;
        const at = target + (places[i * 8 + bit] ?? 0);
        inside[at] = (inside[at] ?? 0) + 1;
      }
    }
  }
  const alpha = Uint8Array.from(inside, (count, i) => {
    const all = (columns[x + (i % width)] ?? 1) * (rows[y + Math.floor(i / width)] ?? 1);
    return Math.round((255 * count) / all);
  });
  return { x, y, width, height, alpha };
}

/** Opacity of a mask's fill, 0 to 255; its edge is opaque. */
const FILL = 128;

/** Draws a mask in one color, RGBA: half filled, with an edge of `line` pixels along its inside. */
export function tinted(
  { width, height, alpha }: Coverage,
  [red, green, blue]: readonly [number, number, number],
  line: number,
): Uint8ClampedArray<ArrayBuffer> {
  const isInside = (x: number, y: number): boolean =>
    x >= 0 && x < width && y >= 0 && y < height && (alpha[y * width + x] ?? 0) > 127;
  const isEdge = (x: number, y: number): boolean =>
    !(isInside(x - line, y) && isInside(x + line, y) && isInside(x, y - line) && isInside(x, y + line));
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const covered = alpha[at] ?? 0;
      if (covered === 0) continue;
      const strength = isInside(x, y) && isEdge(x, y) ? 255 : FILL;
      pixels.set([red, green, blue, (covered * strength) / 255], at * 4);
    }
  return pixels;
}

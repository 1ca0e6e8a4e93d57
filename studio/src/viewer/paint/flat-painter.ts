import type { Patch, Rect } from "../masks/index-map.ts";
import { isInside, type PackedMask } from "../masks/packed.ts";
import type { Colour, Size } from "../types.ts";
import type { Painter, Pixels, Scene } from "./painter.ts";

/** Limit of a canvas's side on older phones, used because browsers don't report theirs. */
const LARGEST_SIDE = 4_096;

/** One pixel of an outline's width per this many pixels of the picture's longer side, to stay visible when the picture is shown small. */
const OUTLINE_SHARE = 800;

/** Draws with the canvas's 2D context, for browsers without WebGL2. Only the outlines differ: they are drawn in the picture's pixels. */
export class FlatPainter implements Painter {
  readonly largestSide = LARGEST_SIDE;
  readonly #canvas: CanvasRenderingContext2D;
  #size: Size = { width: 1, height: 1 };
  #step = 1;
  #pixels: Pixels | null = null;
  #map = new Uint16Array(1);
  #colours: ReadonlyMap<number, Colour> = new Map();
  /** The masks' pixels, and which of them are on an outline. */
  #fill = new OffscreenCanvas(1, 1);
  #outline = new OffscreenCanvas(1, 1);
  /** Width of outlines, in pixels of the map. */
  #line = 1;
  /** Part of the map that fill and outline lack. */
  #stale: Rect | null = null;
  #highlighted: { readonly mask: PackedMask; readonly canvas: OffscreenCanvas } | null = null;

  constructor(canvas: CanvasRenderingContext2D) {
    this.#canvas = canvas;
  }

  open(size: Size, step: number): void {
    const [width, height] = [Math.ceil(size.width / step), Math.ceil(size.height / step)];
    this.#size = size;
    this.#step = step;
    this.#pixels = null;
    this.#map = new Uint16Array(width * height);
    this.#fill = new OffscreenCanvas(width, height);
    this.#outline = new OffscreenCanvas(width, height);
    this.#line = Math.max(1, Math.round(Math.max(width, height) / OUTLINE_SHARE));
    this.#stale = null;
  }

  picture(pixels: Pixels | null): void {
    this.#pixels = pixels;
  }

  patch({ x, y, width, height, indexes }: Patch): void {
    for (let row = 0; row < height; row++)
      this.#map.set(indexes.subarray(row * width, (row + 1) * width), (y + row) * this.#fill.width + x);
    this.#stale = this.#stale === null ? this.#around({ x, y, width, height }) : this.#everything();
  }

  colours(colours: ReadonlyMap<number, Colour>): void {
    this.#colours = colours;
    this.#stale = this.#everything();
  }

  paint({ view, ratio, opacity, highlighted }: Scene): void {
    this.#refresh();
    const canvas = this.#canvas;
    const { width, height } = this.#size;
    canvas.resetTransform();
    canvas.clearRect(0, 0, canvas.canvas.width, canvas.canvas.height);
    canvas.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.x * ratio, view.y * ratio);
    canvas.imageSmoothingEnabled = view.scale * ratio < 4;
    canvas.globalAlpha = 1;
    if (this.#pixels !== null) canvas.drawImage(this.#pixels, 0, 0, width, height);
    const strength = highlighted === null ? 1 : 0.4;
    const { width: across, height: down } = this.#everything();
    canvas.globalAlpha = opacity * strength;
    canvas.drawImage(this.#fill, 0, 0, across * this.#step, down * this.#step);
    canvas.globalAlpha = Math.min(1, opacity * 3) * strength;
    canvas.drawImage(this.#outline, 0, 0, across * this.#step, down * this.#step);
    if (highlighted === null || highlighted.mask.rows === 0) return;
    const { mask, colour } = highlighted;
    if (this.#highlighted?.mask !== mask) this.#highlighted = { mask, canvas: silhouette(mask, colour) };
    canvas.globalAlpha = Math.min(1, opacity * 1.5);
    canvas.drawImage(this.#highlighted.canvas, mask.x, mask.y);
  }

  close(): void {
    this.#fill = new OffscreenCanvas(1, 1);
    this.#outline = new OffscreenCanvas(1, 1);
  }

  #everything(): Rect {
    return { x: 0, y: 0, width: this.#fill.width, height: this.#fill.height };
  }

  /** The rectangle with all pixels whose outline depends on it. */
  #around({ x, y, width, height }: Rect): Rect {
    const [left, top] = [Math.max(0, x - this.#line), Math.max(0, y - this.#line)];
    const right = Math.min(this.#fill.width, x + width + this.#line);
    const bottom = Math.min(this.#fill.height, y + height + this.#line);
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  #refresh(): void {
    if (this.#stale === null) return;
    const { x, y, width, height } = this.#stale;
    this.#stale = null;
    const [fill, outline] = [new ImageData(width, height), new ImageData(width, height)];
    for (let row = 0, to = 0; row < height; row++)
      for (let column = 0; column < width; column++, to += 4) {
        const index = this.#map[(y + row) * this.#fill.width + x + column] ?? 0;
        const colour = this.#colours.get(index);
        if (colour === undefined) continue;
        const pixels = this.#isOutline(index, x + column, y + row) ? outline : fill;
        pixels.data.set(colour.rgb, to);
        pixels.data[to + 3] = 255;
      }
    this.#fill.getContext("2d")?.putImageData(fill, x, y);
    this.#outline.getContext("2d")?.putImageData(outline, x, y);
  }

  /** Tells whether a pixel of a mask is on its edge. */
  #isOutline(index: number, x: number, y: number): boolean {
    const { width, height } = this.#fill;
    const line = this.#line;
    const at = y * width + x;
    return (
      (x >= line && this.#map[at - line] !== index) ||
      (x + line < width && this.#map[at + line] !== index) ||
      (y >= line && this.#map[at - line * width] !== index) ||
      (y + line < height && this.#map[at + line * width] !== index)
    );
  }
}

/** A mask in one colour. */
function silhouette(mask: PackedMask, { rgb }: Colour): OffscreenCanvas {
  const width = mask.stride * 8;
  const canvas = new OffscreenCanvas(width, mask.rows);
  const pixels = new ImageData(width, mask.rows);
  for (let y = 0, to = 0; y < mask.rows; y++)
    for (let x = 0; x < width; x++, to += 4)
      if (isInside(mask, { x: mask.x + x, y: mask.y + y })) {
        pixels.data.set(rgb, to);
        pixels.data[to + 3] = 255;
      }
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return canvas;
}

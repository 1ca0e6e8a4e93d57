import type { Patch } from "../masks/index-map.ts";
import { isInside, type PackedMask } from "../masks/packed.ts";
import type { Colour, Size } from "../types.ts";
import type { Painter, Pixels, Scene } from "./painter.ts";

/** Where nothing tells how large a canvas may be: what phones had before they had more. */
const LARGEST_SIDE = 4_096;

/** Draws with the canvas's 2D context, where there is no WebGL2: the same, but outlines are pixels of the picture. */
export class FlatPainter implements Painter {
  readonly largestSide = LARGEST_SIDE;
  readonly #canvas: CanvasRenderingContext2D;
  #size: Size = { width: 1, height: 1 };
  #step = 1;
  #pixels: Pixels | null = null;
  #map = new Uint16Array(1);
  #colours: ReadonlyMap<number, Colour> = new Map();
  #overlay = new OffscreenCanvas(1, 1);
  /** The rectangle of the map that the overlay lacks. */
  #stale: Omit<Patch, "slots"> | null = null;
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
    this.#overlay = new OffscreenCanvas(width, height);
    this.#stale = null;
  }

  picture(pixels: Pixels | null): void {
    this.#pixels = pixels;
  }

  patch({ x, y, width, height, slots }: Patch): void {
    for (let row = 0; row < height; row++)
      this.#map.set(slots.subarray(row * width, (row + 1) * width), (y + row) * this.#overlay.width + x);
    this.#stale = this.#stale === null ? { x, y, width, height } : this.#everything();
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
    canvas.globalAlpha = opacity * (highlighted === null ? 1 : 0.45);
    canvas.drawImage(
      this.#overlay,
      0,
      0,
      this.#overlay.width * this.#step,
      this.#overlay.height * this.#step,
    );
    if (highlighted === null || highlighted.mask.rows === 0) return;
    const { mask, colour } = highlighted;
    if (this.#highlighted?.mask !== mask) this.#highlighted = { mask, canvas: silhouette(mask, colour) };
    canvas.globalAlpha = Math.min(1, opacity * 1.5);
    canvas.drawImage(this.#highlighted.canvas, mask.x, mask.y);
  }

  close(): void {
    this.#overlay = new OffscreenCanvas(1, 1);
  }

  #everything(): Omit<Patch, "slots"> {
    return { x: 0, y: 0, width: this.#overlay.width, height: this.#overlay.height };
  }

  #refresh(): void {
    if (this.#stale === null) return;
    const { x, y, width, height } = this.#stale;
    this.#stale = null;
    const pixels = new ImageData(width, height);
    for (let row = 0, to = 0; row < height; row++)
      for (let i = (y + row) * this.#overlay.width + x, end = i + width; i < end; i++, to += 4) {
        const colour = this.#colours.get(this.#map[i] ?? 0);
        if (colour === undefined) continue;
        pixels.data.set(colour.rgb, to);
        pixels.data[to + 3] = 255;
      }
    this.#overlay.getContext("2d")?.putImageData(pixels, x, y);
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

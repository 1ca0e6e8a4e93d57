import { signal } from "@preact/signals";
import { MaskStore, type Wanted } from "../masks/mask-store.ts";
import type { Painter, Pixels } from "../paint/painter.ts";
import type { Colour, MaskSource, Point, Size } from "../types.ts";
import { fit, pan, resize, reveal, settle, toPicture, type View, zoom } from "../view/view.ts";
import { FlatPainter } from "../paint/flat-painter.ts";
import { GlPainter } from "../paint/gl-painter.ts";
import { watchSize } from "./watch-size.ts";

/** The masks of a picture. */
export interface ShownMasks {
  /** All masks to decode, by their keys. */
  readonly sources: ReadonlyMap<string, MaskSource>;
  readonly masks: readonly Wanted[];
  readonly colours: ReadonlyMap<number, Colour>;
}

/** Opacity and highlight of the masks. */
interface Appearance {
  /** Their opacity, 0 to 1. */
  readonly opacity: number;
  readonly highlighted: { readonly key: string; readonly colour: Colour } | null;
}

const NO_SIZE: Size = { width: 0, height: 0 };
const NO_MASKS: ShownMasks = { sources: new Map(), masks: [], colours: new Map() };

/** Canvas that shows a picture and its masks: contents, view, and scheduling of frames. */
export class Stage {
  /** Position and scale of the picture in the frame. */
  readonly view = signal<View>({ scale: 1, x: 0, y: 0 });
  /** The canvas's size in CSS pixels. */
  readonly frame = signal<Size>(NO_SIZE);
  readonly maskStore: MaskStore;
  #size: Size = NO_SIZE;
  #pixels: Pixels | null = null;
  #masks: ShownMasks = NO_MASKS;
  #appearance: Appearance = { opacity: 0.5, highlighted: null };
  #painter: Painter | null = null;
  #step = 1;
  #ratio = 1;
  #request = 0;
  /** While it is held, the canvas keeps its last frame. */
  #isHeld = false;

  /** `onWhole` is called when the next frame has all masks of the latest `show`. */
  constructor(onWhole: () => void = () => undefined) {
    this.maskStore = new MaskStore({
      onPatch: (patch) => {
        this.#painter?.patch(patch);
        this.draw();
      },
      onWhole,
    });
  }

  /** The picture's size in its own pixels, which are those of its masks and regions. */
  get size(): Size {
    return this.#size;
  }

  /** Draws on a canvas from now on. Returns a function that ends it; the stage is then unusable. */
  attach(canvas: HTMLCanvasElement): () => void {
    const lost = (event: Event): void => {
      event.preventDefault();
      this.#painter = null;
    };
    const open = (): void => {
      this.#painter = openPainter(canvas);
      this.#begin();
    };
    canvas.addEventListener("webglcontextlost", lost);
    canvas.addEventListener("webglcontextrestored", open);
    const unwatch = watchSize(canvas, (frame, ratio) => this.#resize(frame, ratio));
    // The observer reports before the next frame, and a pointer may be quicker on a busy machine.
    const measure = (): void => {
      const { width, height } = canvas.getBoundingClientRect();
      const { value: known } = this.frame;
      if (Math.abs(width - known.width) >= 1 || Math.abs(height - known.height) >= 1)
        this.#resize({ width, height }, this.#ratio);
    };
    canvas.addEventListener("pointerdown", measure);
    open();
    return () => {
      unwatch();
      canvas.removeEventListener("pointerdown", measure);
      canvas.removeEventListener("webglcontextlost", lost);
      canvas.removeEventListener("webglcontextrestored", open);
      cancelAnimationFrame(this.#request);
      this.#painter?.close();
      this.maskStore.close();
    };
  }

  /** Takes another picture's size; its pixels and masks come after it. */
  open(size: Size): void {
    this.#size = size;
    this.#pixels = null;
    this.#masks = NO_MASKS;
    this.#begin();
    this.view.value = this.#hasRoom() ? fit(size, this.frame.value) : this.view.value;
  }

  /** Takes the picture's pixels, or another frame of the video. */
  picture(pixels: Pixels | null): void {
    this.#pixels = pixels;
    void this.#hand(pixels);
    this.draw();
  }

  /** Shows other masks. */
  show(shown: ShownMasks): void {
    this.#masks = shown;
    if (this.#painter === null) return;
    this.#painter.colours(shown.colours);
    this.maskStore.keep(shown.sources);
    this.maskStore.show(shown.masks);
    this.draw();
  }

  /** Changes how masks are shown; none of them is drawn again for it. */
  appearance(appearance: Appearance): void {
    this.#appearance = appearance;
    this.draw();
  }

  /** Holds the canvas's last frame until the next masks are complete, or releases it. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.draw();
  }

  /** Moves the picture by CSS pixels. */
  pan(by: Point): void {
    this.see(pan(this.view.value, by, this.#size, this.frame.value));
  }

  /** Zooms about a point of the frame; without one about its middle. */
  zoom(factor: number, about: Point = this.middle): void {
    this.see(zoom(this.view.value, factor, about, this.#size, this.frame.value));
  }

  /** Shows a pixel of the picture as one CSS pixel. */
  zoomToFull(): void {
    this.zoom(1 / this.view.value.scale);
  }

  /** Shows the whole picture. */
  fit(): void {
    if (this.#hasRoom()) this.see(fit(this.#size, this.frame.value));
  }

  /** Moves the picture to show one of its points. */
  reveal(point: Point): void {
    this.see(reveal(this.view.value, point, 24, this.#size, this.frame.value));
  }

  /** A point of the frame in pixels of the picture, perhaps outside it. */
  toPicture(at: Point): Point {
    return toPicture(this.view.value, at);
  }

  /** The middle of the frame. */
  get middle(): Point {
    return { x: this.frame.value.width / 2, y: this.frame.value.height / 2 };
  }

  /** Has a frame drawn, soon and once. */
  draw(): void {
    if (this.#request === 0)
      this.#request = requestAnimationFrame(() => {
        this.#request = 0;
        this.#paint();
      });
  }

  /** Sees the picture from elsewhere. */
  see(view: View): void {
    this.view.value = view;
    this.draw();
  }

  #hasRoom(): boolean {
    const { width, height } = this.frame.value;
    return width > 0 && height > 0 && this.#size.width > 0 && this.#size.height > 0;
  }

  /** Hands everything to a painter that has nothing yet, and to the worker. */
  #begin(): void {
    const painter = this.#painter;
    if (painter === null || this.#size.width === 0) return;
    const { sources, masks, colours } = this.#masks;
    this.#step = Math.ceil(Math.max(this.#size.width, this.#size.height) / painter.largestSide);
    painter.open(this.#size, this.#step);
    painter.colours(colours);
    this.maskStore.open(this.#size, this.#step);
    this.maskStore.keep(sources);
    this.maskStore.show(masks);
    this.picture(this.#pixels);
  }

  /** Gives the painter the picture, smaller if it has to be. */
  async #hand(pixels: Pixels | null): Promise<void> {
    const painter = this.#painter;
    if (painter === null) return;
    const most = painter.largestSide;
    if (!(pixels instanceof ImageBitmap) || Math.max(pixels.width, pixels.height) <= most)
      return painter.picture(pixels);
    const scale = most / Math.max(pixels.width, pixels.height);
    const resizeWidth = Math.floor(pixels.width * scale);
    const smaller = await createImageBitmap(pixels, { resizeWidth, resizeQuality: "medium" });
    if (pixels === this.#pixels && painter === this.#painter) painter.picture(smaller);
    smaller.close();
    this.draw();
  }

  #resize(frame: Size, ratio: number): void {
    const from = this.frame.value;
    this.frame.value = frame;
    this.#ratio = ratio;
    if (!this.#hasRoom()) return;
    this.view.value =
      from.width === 0 || from.height === 0
        ? fit(this.#size, frame)
        : settle(resize(this.view.value, this.#size, from, frame), this.#size, frame);
    // A canvas that changes its size is empty until it is drawn.
    this.#paint();
  }

  #paint(): void {
    if (this.#painter === null || this.#isHeld || !this.#hasRoom()) return;
    const { opacity, highlighted } = this.#appearance;
    const mask = highlighted === null ? undefined : this.maskStore.mask(highlighted.key);
    this.#painter.paint({
      view: this.view.value,
      ratio: this.#ratio,
      opacity,
      highlighted: highlighted === null || mask === undefined ? null : { ...highlighted, mask },
    });
  }
}

/** Opens the best painter that the browser has for a canvas. @throws Error if it has none */
function openPainter(canvas: HTMLCanvasElement): Painter {
  const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true });
  if (gl !== null) return new GlPainter(gl);
  const flat = canvas.getContext("2d");
  if (flat === null) throw new Error("The browser can't draw on a canvas.");
  return new FlatPainter(flat);
}

import type { Patch } from "../masks/index-map.ts";
import type { PackedMask } from "../masks/packed.ts";
import type { Colour, Size } from "../types.ts";
import type { View } from "../view/view.ts";

/** A picture's pixels: a bitmap, or the video whose frame is shown. */
export type Pixels = ImageBitmap | HTMLVideoElement;

/** View, opacity and highlight of a frame. */
export interface Scene {
  readonly view: View;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** Opacity of masks, 0 to 1. */
  readonly opacity: number;
  /** The mask under the pointer, which is highlighted. */
  readonly highlighted: { readonly mask: PackedMask; readonly colour: Colour } | null;
}

/** Draws a picture with its masks on a canvas. */
export interface Painter {
  /** The longest side of a picture, in pixels, that it shows in full; a larger one is shown with fewer. */
  readonly largestSide: number;
  /** Takes another picture, with an empty index map; `size` is the picture's in the pixels of its masks. */
  open(size: Size, step: number): void;
  /** Takes the picture's pixels; null shows masks only. */
  picture(pixels: Pixels | null): void;
  /** Takes a changed part of the index map. */
  patch(patch: Patch): void;
  /** Sets the color of each index of the index map. */
  colours(colours: ReadonlyMap<number, Colour>): void;
  /** Draws a frame. */
  paint(scene: Scene): void;
  close(): void;
}

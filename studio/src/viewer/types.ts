import type { Place } from "@segmentation/masks";
import type { Bitmap, Rle } from "segmentation-client";

/** Width and height in pixels; whose pixels they are, the field's docstring says. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A position: to the right of the upper left corner, and down from it. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A mask as the service has it: the file of a picture's mask, the RLE of a video's or of COCO; or its pixels. */
export type MaskSource = Blob | Rle | Bitmap;

/** A mask to lay over a picture. */
export interface Layer {
  /** Names the mask; a layer that keeps its id keeps its decoded mask, so never give another mask the same id. */
  readonly id: string;
  /** The mask's file, its RLE, or its pixels. */
  readonly mask: MaskSource;
  /** See `maskColour`. */
  readonly colour: Colour;
  readonly visible: boolean;
  /** Displayed name, such as "cup 2"; announced to those who point at it by keyboard. */
  readonly label: string;
}

/** A color of sRGB: as CSS writes it, and as bytes from 0 to 255. */
export interface Colour {
  readonly css: string;
  readonly rgb: readonly [red: number, green: number, blue: number];
}

/** A region of a job, but for its task. With `findAll`, all objects like it are wanted. */
export type Region = Place & { readonly findAll?: true };

/**
 * Tool of the pointer: `pan` moves the picture; the others point. `point` begins a new object with each click or dragged
 * box; `add` and `remove` give the latest pending region a further point on the object, or outside it. With a mouse,
 * Shift-click adds and Alt-click removes, whichever of the three it is. `brush` and `eraser` paint strokes.
 */
export type Tool = "pan" | PointingTool | PaintTool;
export type PointingTool = "point" | "add" | "remove";
export type PaintTool = "brush" | "eraser";

export const isPaint = (tool: Tool): tool is PaintTool => tool === "brush" || tool === "eraser";

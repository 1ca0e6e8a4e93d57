import type { Box } from "../bitmap.ts";

/** Size of a picture or a grid. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Mask logits on a grid stretched over the whole picture; a pixel is set if its logit exceeds the threshold's. */
export interface LogitGrid {
  readonly width: number;
  readonly height: number;
  /** `width * height` values, row by row; sample centers at (i + 0.5) / width of the picture's width. */
  readonly logits: Float32Array;
}

/** A click on a picture, in pixels of the displayed picture: `label` 1 on the object (foreground), 0 outside it (background). */
export interface RegionPoint {
  readonly x: number;
  readonly y: number;
  readonly label: 0 | 1;
}

/** Marks an object as a request does: a box around it, or points on it and outside it, in picture pixels. */
export type Place = { readonly box: Box } | { readonly points: readonly RegionPoint[] };

/** A box of a model: two corners in picture pixels, 0 ≤ x1 < x2 ≤ width. Every other box has a width and a height. */
export type Corners = readonly [x1: number, y1: number, x2: number, y2: number];

/**
 * Marks an object as a model takes it: its box, points on it and outside it, or both, in picture pixels and inside
 * the picture.
 */
export type Region = (
  | { readonly box: Corners; readonly points?: readonly RegionPoint[] }
  | { readonly box?: never; readonly points: readonly RegionPoint[] }
) & {
  /** The expected mask on SAM 2's grid; absent if there is none. */
  readonly prior?: LogitGrid;
};

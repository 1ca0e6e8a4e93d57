import type { Point, Size } from "../types.ts";

/** Position and scale of a picture in a frame: a point p of the picture is at p × scale + (x, y) of the frame, in CSS pixels. */
export interface View {
  /** CSS pixels per pixel of the picture. */
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** The largest zoom: a pixel of the picture is this many CSS pixels wide. */
const LARGEST_SCALE = 32;

/** The view that shows the whole picture in the middle of the frame, as large as it can be. */
export function fit(picture: Size, frame: Size): View {
  return settle({ scale: fitScale(picture, frame), x: 0, y: 0 }, picture, frame);
}

/**
 * The nearest view that people can't get lost in: not smaller than the fit (or 100 %, if that is smaller), not larger than
 * `LARGEST_SCALE`, without a gap at a side while the picture is wider or higher than the frame; in the middle otherwise.
 */
export function settle(view: View, picture: Size, frame: Size): View {
  const scale = clamp(view.scale, smallestScale(picture, frame), LARGEST_SCALE);
  const along = (at: number, extent: number, room: number): number =>
    extent <= room ? (room - extent) / 2 : clamp(at, room - extent, 0);
  return {
    scale,
    x: along(view.x, picture.width * scale, frame.width),
    y: along(view.y, picture.height * scale, frame.height),
  };
}

/** Zooms by a factor; the pixel under the frame's point `about` stays there, as far as `settle` allows. */
export function zoom(view: View, factor: number, about: Point, picture: Size, frame: Size): View {
  const scale = clamp(view.scale * factor, smallestScale(picture, frame), LARGEST_SCALE);
  const at = toPicture(view, about);
  return settle({ scale, x: about.x - at.x * scale, y: about.y - at.y * scale }, picture, frame);
}

/** Moves the picture by CSS pixels. */
export function pan(view: View, by: Point, picture: Size, frame: Size): View {
  return settle({ ...view, x: view.x + by.x, y: view.y + by.y }, picture, frame);
}

/** Moves the picture no farther than needed to have a point of it in the frame, `margin` CSS pixels from its sides. */
export function reveal(view: View, point: Point, margin: number, picture: Size, frame: Size): View {
  const { x, y } = toFrame(view, point);
  const missing = (at: number, room: number): number =>
    clamp(at, Math.min(margin, room / 2), Math.max(room - margin, room / 2)) - at;
  return pan(view, { x: missing(x, frame.width), y: missing(y, frame.height) }, picture, frame);
}

/** The view after the frame has another size: a fitted picture is fitted again, else the middle stays in the middle. */
export function resize(view: View, picture: Size, from: Size, to: Size): View {
  if (isFit(view, picture, from)) return fit(picture, to);
  const moved = {
    ...view,
    x: view.x + (to.width - from.width) / 2,
    y: view.y + (to.height - from.height) / 2,
  };
  return settle(moved, picture, to);
}

/** Tells whether the view shows the whole picture. */
export function isFit(view: View, picture: Size, frame: Size): boolean {
  return Math.abs(view.scale / fit(picture, frame).scale - 1) < 1e-6;
}

/** A point of the frame as a point of the picture, perhaps outside it. */
export const toPicture = ({ scale, x, y }: View, at: Point): Point => ({
  x: (at.x - x) / scale,
  y: (at.y - y) / scale,
});

/** A point of the picture as a point of the frame, perhaps outside it. */
export const toFrame = ({ scale, x, y }: View, at: Point): Point => ({
  x: at.x * scale + x,
  y: at.y * scale + y,
});

/** The value, or the nearer end of the range. */
export const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

const smallestScale = (picture: Size, frame: Size): number => Math.min(1, fitScale(picture, frame));

const fitScale = (picture: Size, frame: Size): number =>
  Math.min(frame.width / picture.width, frame.height / picture.height, LARGEST_SCALE);

import { signal } from "@preact/signals";
import type { Stage } from "../stage/stage.ts";
import type { Point, Region, RegionPoint, Size, Tool } from "../types.ts";
import { clamp } from "../view/view.ts";

/** What the viewer's user works with at the moment, and who is notified. */
interface PointingContext {
  readonly drafts: readonly Region[];
  /** See `PictureViewerProps.onRegion`. */
  readonly onRegion?: (region: Region, replacesLatest: boolean) => void;
}

/** Steps of the crosshair are that many CSS pixels, and at least one of the picture's. */
const CROSSHAIR_STEP = 6;

/** Makes regions of clicks, drags and keys. */
export class Pointing {
  /** The box that is being drawn, from corner to corner, in pixels of the picture. */
  readonly boxing = signal<readonly [Point, Point] | null>(null);
  /** The pixel that the keyboard points at. */
  readonly crosshair = signal<Point | null>(null);
  readonly #stage: Stage;
  readonly #context: () => PointingContext;

  constructor(stage: Stage, context: () => PointingContext) {
    this.#stage = stage;
    this.#context = context;
  }

  /** Points at a point of the frame. Outside the picture there is nothing to point at. */
  click(at: Point, tool: Exclude<Tool, "pan">): void {
    const point = this.#stage.toPicture(at);
    const { width, height } = this.#stage.size;
    if (point.x >= 0 && point.y >= 0 && point.x < width && point.y < height) this.#point(point, tool);
  }

  /** Draws the box between two points of the frame, or gives it up. */
  drag(box: readonly [Point, Point] | null): void {
    this.boxing.value = box && [this.#clamped(box[0]), this.#clamped(box[1])];
  }

  /** Ends a box between two points of the frame. */
  drop(from: Point, to: Point): void {
    this.#box(this.#clamped(from), this.#clamped(to));
  }

  /** Moves the crosshair by steps; the first call puts it into the middle of what is seen. */
  move(by: Point): void {
    const { crosshair } = this;
    const from = crosshair.value;
    const step = Math.max(1, Math.round(CROSSHAIR_STEP / this.#stage.view.value.scale));
    const to = from
      ? { x: from.x + by.x * step, y: from.y + by.y * step }
      : this.#clamped(this.#stage.middle);
    crosshair.value = pixelAt(to, this.#stage.size);
    this.#stage.reveal(crosshair.value);
    if (this.boxing.value) this.boxing.value = [this.boxing.value[0], crosshair.value];
  }

  /** Starts a box at the crosshair. */
  corner(): void {
    if (this.crosshair.value) this.boxing.value = [this.crosshair.value, this.crosshair.value];
  }

  /** Points at the crosshair's pixel, or ends the box that was started there. */
  place(tool: Exclude<Tool, "pan">): void {
    const [box, at] = [this.boxing.value, this.crosshair.value];
    this.boxing.value = null;
    if (box) this.#box(...box);
    else if (at) this.#point(at, tool);
    else this.move({ x: 0, y: 0 });
  }

  /** Cancels the box that was started, or else the crosshair. */
  leave(): void {
    if (this.boxing.value) this.boxing.value = null;
    else this.crosshair.value = null;
  }

  #point(at: Point, tool: Exclude<Tool, "pan">): void {
    const { drafts, onRegion } = this.#context();
    const pixel = pixelAt(at, this.#stage.size);
    if (tool === "point") return onRegion?.({ points: [{ ...pixel, label: 1 }] }, false);
    const region = withPoint(drafts.at(-1), { ...pixel, label: tool === "add" ? 1 : 0 });
    if (region !== null) onRegion?.(region, true);
    // Adding to nothing starts an object; there is nothing to remove from.
    else if (tool === "add") onRegion?.({ points: [{ ...pixel, label: 1 }] }, false);
  }

  #box(from: Point, to: Point): void {
    const region = boxBetween(from, to, this.#stage.size);
    if (region !== null) this.#context().onRegion?.(region, false);
  }

  /** A point of the frame as a point of the picture, or the nearest one. */
  #clamped(at: Point): Point {
    const { x, y } = this.#stage.toPicture(at);
    const { width, height } = this.#stage.size;
    return { x: Math.min(Math.max(x, 0), width), y: Math.min(Math.max(y, 0), height) };
  }
}

/** The service takes no more points per region. */
const MOST_POINTS = 20;

/** The whole pixel of the picture that a point is in, or the nearest one. */
export function pixelAt({ x, y }: Point, picture: Size): Point {
  return {
    x: clamp(Math.floor(x), 0, picture.width - 1),
    y: clamp(Math.floor(y), 0, picture.height - 1),
  };
}

/**
 * The region of the box between two points, in whole pixels and inside the picture; null if it has no width or no height
 * there.
 */
export function boxBetween(a: Point, b: Point, picture: Size): Extract<Region, { box: unknown }> | null {
  const [left, right] = ends(a.x, b.x, picture.width);
  const [top, bottom] = ends(a.y, b.y, picture.height);
  if (left === right || top === bottom) return null;
  return { box: [left, top, right - left, bottom - top] };
}

function ends(a: number, b: number, most: number): [number, number] {
  const near = (value: number): number => clamp(Math.round(value), 0, most);
  return [near(Math.min(a, b)), near(Math.max(a, b))];
}

/**
 * The latest draft with one point more; null if that is no region: there is no draft of points yet, or it has as many as
 * the service takes.
 */
export function withPoint(draft: Region | undefined, point: RegionPoint): Region | null {
  if (draft === undefined || !("points" in draft) || draft.points.length >= MOST_POINTS) return null;
  return { points: [...draft.points, point] };
}

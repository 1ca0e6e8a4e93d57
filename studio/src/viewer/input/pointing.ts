import type { RegionPoint } from "@segmentation/masks";
import { signal } from "@preact/signals";
import { LIMITS } from "segmentation-client";
import type { Stage } from "../stage/stage.ts";
import { isPaint, type Point, type PointingTool, type Region, type Size, type Tool } from "../types.ts";
import { clamp } from "../view/view.ts";

/** The region of a click at the pointer or the crosshair, and the topmost mask there. */
export interface Aim {
  /** Null if a click begins or changes no object. */
  readonly region: Region | null;
  readonly replacesLatest: boolean;
  readonly mask: string | null;
}

/** Current tool and pending regions, and the callbacks. */
export interface PointingContext {
  readonly tool: Tool;
  /** Regions that no job has yet. Points are added to the latest one. */
  readonly pendingRegions: readonly Region[];
  /** Called with each region that is pointed at; if `replacesLatest`, it is the latest pending region with one more point. */
  readonly onRegion?: (region: Region, replacesLatest: boolean) => void;
  /** Called with the topmost mask that is clicked by the tool `point`. Returns true if it handles the click, which then begins no object. */
  readonly onSelect?: (mask: string) => boolean;
  /** Called with the masks that a rectangle encloses, or with the one that is clicked, while Ctrl is down. */
  readonly onSelectMany?: (masks: readonly string[]) => void;
  /** Called whenever another region is aimed at; null if the pointer has left. */
  readonly onAim?: (aim: Aim | null) => void;
  /** Called for Enter without a crosshair. Returns true if there was something to keep. */
  readonly onKeep?: () => boolean;
  /** Called with each stroke: x, y, x, y, … in pixels of the picture, and the topmost mask where it begins. */
  readonly onStroke?: (points: readonly number[], mask: string | null) => void;
}

/** Steps of the crosshair are that many CSS pixels, and at least one of the picture's. */
const CROSSHAIR_STEP = 6;

/** Boxes with a shorter side are mistakes, in CSS pixels. */
const LEAST_BOX = 6;

/** Makes regions of clicks, drags and keys. */
export class Pointing {
  /** The box that is being drawn, from corner to corner, in pixels of the picture. */
  readonly boxing = signal<readonly [Point, Point] | null>(null);
  /** The pixel that the keyboard points at. */
  readonly crosshair = signal<Point | null>(null);
  /** The stroke that is being painted: x, y, x, y, … in pixels of the picture. */
  readonly stroke = signal<readonly number[] | null>(null);
  /** Pointer's position in the picture before it paints. */
  readonly hover = signal<Point | null>(null);
  readonly #stage: Stage;
  readonly #context: () => PointingContext;

  constructor(stage: Stage, context: () => PointingContext) {
    this.#stage = stage;
    this.#context = context;
  }

  /** Points at a point of the frame, or paints a dot there. Outside the picture there is nothing to point at. */
  click(at: Point, tool: PointingTool): void {
    const point = this.#stage.toPicture(at);
    if (this.#isPainting) return this.#paint([point.x, point.y]);
    const { width, height } = this.#stage.size;
    if (point.x >= 0 && point.y >= 0 && point.x < width && point.y < height) this.#point(point, tool);
  }

  /** Draws the box between two points of the frame, or gives it up. */
  drag(box: readonly [Point, Point] | null): void {
    if (this.#isPainting) return this.#follow(box);
    this.boxing.value = box && [this.#clamped(box[0]), this.#clamped(box[1])];
  }

  /** Ends a box between two points of the frame, or a stroke. */
  drop(from: Point, to: Point): void {
    if (this.#isPainting) return this.#paint(this.#last ?? []);
    this.#box(this.#clamped(from), this.#clamped(to));
  }

  /** Selects the masks between two points of the frame. */
  enclose(from: Point, to: Point): void {
    const masks = this.#stage.maskStore.within(this.#clamped(from), this.#clamped(to));
    if (masks.length > 0) this.#context().onSelectMany?.(masks);
  }

  /** Moves the crosshair by steps; the first call puts it into the middle of the visible part. */
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
    const { x, y } = middleOf(crosshair.value);
    if (this.stroke.value) this.stroke.value = [...this.stroke.value, x, y];
  }

  /** Starts a box at the crosshair, or a stroke. */
  corner(): void {
    const at = this.crosshair.value && middleOf(this.crosshair.value);
    if (at && this.#isPainting) this.stroke.value = [at.x, at.y];
    else if (this.crosshair.value) this.boxing.value = [this.crosshair.value, this.crosshair.value];
  }

  /** Ends the stroke that was started at the crosshair, or paints a dot there. */
  dab(): void {
    const at = this.crosshair.value && middleOf(this.crosshair.value);
    if (at === null) return this.move({ x: 0, y: 0 });
    const points = this.stroke.value ?? [at.x, at.y];
    this.stroke.value = null;
    this.#paint(points);
  }

  /** Reports the target of a click at a point of the frame, or at the crosshair; null for none. */
  aim(at: Point | null, tool: PointingTool): void {
    const { onAim } = this.#context();
    const { width, height } = this.#stage.size;
    const point = at && this.#stage.toPicture(at);
    const isInside = point !== null && point.x >= 0 && point.y >= 0 && point.x < width && point.y < height;
    const pixel = isInside ? pixelAt(point, this.#stage.size) : at === null ? this.crosshair.value : null;
    if (pixel === null) return onAim?.(null);
    const mask = this.#stage.maskStore.topmostAt(pixel);
    const { region = null, replacesLatest = false } = this.#regionAt(pixel, tool) ?? {};
    onAim?.({ region, replacesLatest, mask });
  }

  /** Points at the crosshair's pixel, or ends the box that was started there. Without either, it keeps what is new. */
  place(tool: PointingTool): void {
    const [box, at] = [this.boxing.value, this.crosshair.value];
    if (box === null && at === null && this.#context().onKeep?.() === true) return;
    this.boxing.value = null;
    if (box) this.#box(...box);
    else if (at) this.#point(at, tool);
    else this.move({ x: 0, y: 0 });
  }

  /** Cancels the box or the stroke that was started, or else the crosshair. */
  leave(): void {
    if (this.boxing.value || this.stroke.value) this.boxing.value = this.stroke.value = null;
    else this.crosshair.value = null;
  }

  get #isPainting(): boolean {
    return isPaint(this.#context().tool);
  }

  /** The stroke of the drag that has just ended. */
  #last: readonly number[] | null = null;

  /** Continues the stroke of a drag to where it is now; points that are nearer to each other than a screen's pixel are one. */
  #follow(line: readonly [Point, Point] | null): void {
    this.#last = this.stroke.value;
    if (line === null) return void (this.stroke.value = null);
    const [from, to] = line.map((at) => this.#stage.toPicture(at));
    if (from === undefined || to === undefined) return;
    const before = this.stroke.value ?? [from.x, from.y];
    const [x = 0, y = 0] = before.slice(-2);
    const isNear = Math.hypot(to.x - x, to.y - y) * this.#stage.view.value.scale < 1;
    if (!isNear || this.stroke.value === null) this.stroke.value = [...before, to.x, to.y];
  }

  /** Hands a stroke over, in tenths of a pixel, with the mask that it begins on. */
  #paint(points: readonly number[]): void {
    const [x = 0, y = 0] = points;
    if (points.length === 0) return;
    const mask = this.#stage.maskStore.topmostAt({ x: Math.floor(x), y: Math.floor(y) });
    this.#context().onStroke?.(
      points.map((each) => Math.round(each * 10) / 10),
      mask,
    );
  }

  #point(at: Point, tool: PointingTool): void {
    const { onRegion, onSelect } = this.#context();
    const pixel = pixelAt(at, this.#stage.size);
    const mask = this.#stage.maskStore.topmostAt(pixel);
    if (tool === "point" && mask !== null && onSelect?.(mask)) return;
    const pointed = this.#regionAt(pixel, tool);
    if (pointed !== null) onRegion?.(pointed.region, pointed.replacesLatest);
  }

  /** The region of a point; null if there is nothing to remove from. */
  #regionAt(
    pixel: Point,
    tool: PointingTool,
  ): { readonly region: Region; readonly replacesLatest: boolean } | null {
    const begun = { region: { points: [{ ...pixel, label: 1 as const }] }, replacesLatest: false };
    if (tool === "point") return begun;
    const { pendingRegions } = this.#context();
    const region = withPoint(pendingRegions.at(-1), { ...pixel, label: tool === "add" ? 1 : 0 });
    if (region !== null) return { region, replacesLatest: true };
    // Adding to nothing starts an object.
    return tool === "add" ? begun : null;
  }

  #box(from: Point, to: Point): void {
    const region = boxBetween(from, to, this.#stage.size, LEAST_BOX / this.#stage.view.value.scale);
    if (region !== null) this.#context().onRegion?.(region, false);
  }

  /** A point of the frame as a point of the picture, or the nearest one. */
  #clamped(at: Point): Point {
    const { x, y } = this.#stage.toPicture(at);
    const { width, height } = this.#stage.size;
    return { x: clamp(x, 0, width), y: clamp(y, 0, height) };
  }
}

/** The middle of a pixel. */
export const middleOf = ({ x, y }: Point): Point => ({ x: x + 0.5, y: y + 0.5 });

/** The whole pixel of the picture that a point is in, or the nearest one. */
export function pixelAt({ x, y }: Point, picture: Size): Point {
  return {
    x: clamp(Math.floor(x), 0, picture.width - 1),
    y: clamp(Math.floor(y), 0, picture.height - 1),
  };
}

/**
 * Returns the region of the box between two points, in whole pixels and inside the picture; null if one of its sides is
 * shorter than `least` pixels of the picture.
 */
export function boxBetween(
  a: Point,
  b: Point,
  picture: Size,
  least = 1,
): Extract<Region, { box: unknown }> | null {
  const [left, right] = ends(a.x, b.x, picture.width);
  const [top, bottom] = ends(a.y, b.y, picture.height);
  if (Math.min(right - left, bottom - top) < Math.max(1, least)) return null;
  return { box: [left, top, right - left, bottom - top] };
}

function ends(a: number, b: number, most: number): [number, number] {
  const near = (value: number): number => clamp(Math.round(value), 0, most);
  return [near(Math.min(a, b)), near(Math.max(a, b))];
}

/**
 * Adds a point to the latest pending region; null if that is no region of points, or has as many as the service takes.
 */
export function withPoint(pending: Region | undefined, point: RegionPoint): Region | null {
  if (pending === undefined || !("points" in pending) || pending.points.length >= LIMITS.pointsPerRegion)
    return null;
  return { points: [...pending.points, point] };
}

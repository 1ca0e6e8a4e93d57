import type { Point } from "../types.ts";

/** A drag moves the picture, draws a box, paints a stroke, or draws a rectangle that selects. */
type Drag = "pan" | "box" | "stroke" | "band";

/** Gestures of pointers on the frame; points and distances in CSS pixels of the frame. */
interface GestureEvents {
  /** Returns the effect of a drag. A finger draws a box only after it was held still. */
  readonly drags: (event: PointerEvent) => Drag;
  /** True if a part of the picture is out of sight. Otherwise a finger scrolls the page. */
  readonly canPan: () => boolean;
  readonly onPan: (by: Point) => void;
  readonly onZoom: (factor: number, about: Point) => void;
  /** Called with the position of the pointer without a button; null when it has left, and without an event when it is pressed. */
  readonly onHover: (at: Point | null, event?: PointerEvent) => void;
  readonly onClick: (at: Point, event: PointerEvent) => void;
  readonly onDoubleClick: (at: Point) => void;
  /** A box is being dragged; null if it has been given up. */
  readonly onBoxing: (box: readonly [Point, Point] | null) => void;
  readonly onBox: (from: Point, to: Point) => void;
  /** A rectangle was drawn around what is to be selected. */
  readonly onBand: (from: Point, to: Point) => void;
}

/** A pointer that moves less is clicking, in CSS pixels: fingers are less steady. */
const STILL = { mouse: 6, touch: 10 } as const;
/** Time after which a finger that stays still draws a box. */
const HOLD_MS = 450;
/** The first box of a finger that is held still shows that it draws: its half side in CSS pixels, larger than a fingertip. */
const HELD = 32;

/** Zoom by a pixel of a wheel; a pinch on a touchpad comes as small steps with the control key. */
const WHEEL = { scroll: 0.0018, pinch: 0.01 } as const;
const PIXELS_PER_LINE = 16;
const MIDDLE_BUTTON = 1;

/** A pointer that is down. */
interface Down {
  readonly from: Point;
  readonly at: Point;
}

/** Listens to an element's pointers and wheel. Returns what ends it. */
export function listenToGestures(element: HTMLElement, events: GestureEvents): () => void {
  const down = new Map<number, Down>();
  let kind: "still" | "panning" | "boxing" | "none" = "none";
  let isMiddle = false;
  let drag: Drag = "pan";
  let hold: ReturnType<typeof setTimeout> | undefined;

  const at = (event: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };

  const onDown = (event: PointerEvent): void => {
    if (event.pointerType === "mouse" && event.button > MIDDLE_BUTTON) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { from: at(event), at: at(event) });
    if (kind === "boxing") events.onBoxing(null);
    isMiddle = event.button === MIDDLE_BUTTON;
    kind = down.size === 1 ? "still" : "panning";
    events.onHover(null);
    clearTimeout(hold);
    if (kind === "still" && event.pointerType === "touch" && events.drags(event) === "box")
      hold = setTimeout(() => beginBox(at(event)), HOLD_MS);
  };

  /** A finger that was held still begins a box. */
  const beginBox = (from: Point): void => {
    kind = "boxing";
    drag = "box";
    events.onBoxing([
      { x: from.x - HELD, y: from.y - HELD },
      { x: from.x + HELD, y: from.y + HELD },
    ]);
    // Safari has no vibration.
    navigator.vibrate?.(10);
  };

  const draws = (event: PointerEvent): boolean =>
    !isMiddle && (drag === "stroke" || (drag !== "pan" && event.pointerType !== "touch"));

  const onMove = (event: PointerEvent): void => {
    const pointer = down.get(event.pointerId);
    if (pointer === undefined) {
      if (event.pointerType !== "touch") events.onHover(at(event), event);
      return;
    }
    const before = [...down.values()].map((each) => each.at);
    const now = { from: pointer.from, at: at(event) };
    const still = event.pointerType === "touch" ? STILL.touch : STILL.mouse;
    if (kind === "still") {
      if (distance(now.from, now.at) < still) return;
      drag = events.drags(event);
      kind = draws(event) ? "boxing" : "panning";
      clearTimeout(hold);
    }
    down.set(event.pointerId, now);
    if (kind === "boxing") events.onBoxing([now.from, now.at]);
    if (kind === "panning")
      follow(
        before,
        [...down.values()].map((each) => each.at),
        events,
      );
  };

  const onUp = (event: PointerEvent): void => {
    const pointer = down.get(event.pointerId);
    if (pointer === undefined) return;
    down.delete(event.pointerId);
    clearTimeout(hold);
    const cancelled = event.type === "pointercancel";
    if (kind === "boxing") events.onBoxing(null);
    if (kind === "boxing" && !cancelled)
      (drag === "band" ? events.onBand : events.onBox)(pointer.from, at(event));
    if (kind === "still" && !cancelled && !isMiddle) events.onClick(at(event), event);
    // After a pinch, the remaining finger continues panning.
    if (down.size === 0) kind = "none";
  };

  /** Keeps the browser from scrolling the page by fingers that do something else. */
  const onTouchMove = (event: TouchEvent): void => {
    const isOurs = kind === "boxing" || down.size > 1 || events.canPan();
    if (isOurs && event.cancelable) event.preventDefault();
  };

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : PIXELS_PER_LINE);
    events.onZoom(Math.exp(-pixels * (event.ctrlKey ? WHEEL.pinch : WHEEL.scroll)), at(event));
  };

  const onLeave = (event: PointerEvent): void => events.onHover(null, event);
  const onDoubleClick = (event: MouseEvent): void => events.onDoubleClick(at(event));

  const end = new AbortController();
  const { signal } = end;
  element.addEventListener("pointerdown", onDown, { signal });
  element.addEventListener("pointermove", onMove, { signal });
  element.addEventListener("pointerup", onUp, { signal });
  element.addEventListener("pointercancel", onUp, { signal });
  element.addEventListener("pointerleave", onLeave, { signal });
  element.addEventListener("dblclick", onDoubleClick, { signal });
  element.addEventListener("touchmove", onTouchMove, { signal, passive: false });
  // A finger that is held still opens no menu.
  element.addEventListener("contextmenu", (event) => down.size > 0 && event.preventDefault(), { signal });
  element.addEventListener("wheel", onWheel, { signal, passive: false });
  return () => {
    clearTimeout(hold);
    end.abort();
  };
}

/** The picture follows one pointer, or two: then the change of their distance zooms it. */
function follow(before: readonly Point[], now: readonly Point[], events: GestureEvents): void {
  const [from, to] = [middle(before), middle(now)];
  const [a, b] = before;
  const [c, d] = now;
  if (a !== undefined && b !== undefined && c !== undefined && d !== undefined)
    // Fingers on the same spot have no distance to compare with. A larger picture has more room to follow them.
    events.onZoom(Math.max(distance(c, d), 1) / Math.max(distance(a, b), 1), from);
  events.onPan({ x: to.x - from.x, y: to.y - from.y });
}

/** The middle of the first two pointers; a third finger changes nothing. */
function middle([a = { x: 0, y: 0 }, b = a]: readonly Point[]): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

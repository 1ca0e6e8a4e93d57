import { isPaint, type Point, type PointingTool, type Tool } from "../types.ts";

/** Command of a key in the viewer. */
export type Command =
  /** Moves the picture, or the crosshair, by a number of steps. */
  | { readonly type: "pan" | "crosshair"; readonly by: Point }
  | { readonly type: "zoom"; readonly factor: number }
  | { readonly type: "fit" | "full" }
  /** Points at the object under the crosshair. */
  | { readonly type: "place"; readonly tool: PointingTool }
  /** Paints a dot at the crosshair, or ends the stroke. */
  | { readonly type: "dab" }
  /** Begins a box at the crosshair, or a stroke; placing then ends it. */
  | { readonly type: "corner" }
  /** Cancels the box that was started, or else the crosshair. */
  | { readonly type: "leave" };

/** The fields of a key event. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const FAR = 8;

/** Zoom factor of a key or a button. */
export const ZOOM_STEP = 1.5;

/** The command of a key; null if the viewer leaves it to the browser. */
export function commandOf({ key, shiftKey, altKey, ctrlKey, metaKey }: Key, tool: Tool): Command | null {
  if (ctrlKey || metaKey) return null;
  const arrow = ARROWS[key];
  if (arrow !== undefined && !altKey) {
    const steps = shiftKey ? FAR : 1;
    const by = { x: arrow.x * steps, y: arrow.y * steps };
    // The visible part moves against the picture.
    return tool === "pan" ? { type: "pan", by: { x: -by.x || 0, y: -by.y || 0 } } : { type: "crosshair", by };
  }
  switch (key) {
    case "+":
    case "=":
      return { type: "zoom", factor: ZOOM_STEP };
    case "-":
      return { type: "zoom", factor: 1 / ZOOM_STEP };
    case "0":
      return { type: "fit" };
    case "z":
      return { type: "full" };
  }
  if (tool === "pan") return null;
  switch (key) {
    case "Enter":
      if (isPaint(tool)) return { type: "dab" };
      return { type: "place", tool: toolWith({ shiftKey, altKey }, tool) };
    case "b":
      return { type: "corner" };
    case "Escape":
      return { type: "leave" };
    default:
      return null;
  }
}

/** The tool of a click or a key, with Shift or Alt held: as elsewhere, Shift adds and Alt takes away. */
export function toolWith(
  { shiftKey, altKey }: Pick<Key, "shiftKey" | "altKey">,
  tool: PointingTool,
): PointingTool {
  return shiftKey ? "add" : altKey ? "remove" : tool;
}

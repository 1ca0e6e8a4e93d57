import { describe, expect, it } from "vitest";
import { commandOf, type Key } from "../../../src/viewer/input/commands.ts";

const key = (name: string, held: Partial<Key> = {}): Key => ({
  key: name,
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  ...held,
});

describe("the viewer's keys", () => {
  it("zoom, fit and show 100 % with any tool", () => {
    for (const tool of ["pan", "point", "add", "remove"] as const) {
      expect(commandOf(key("+"), tool)).toMatchObject({ type: "zoom" });
      expect(commandOf(key("-"), tool)).toMatchObject({ type: "zoom" });
      expect(commandOf(key("0"), tool)).toEqual({ type: "fit" });
      expect(commandOf(key("z"), tool)).toEqual({ type: "full" });
      // The digits are for classes.
      expect(commandOf(key("1"), tool)).toBeNull();
    }
  });

  it("move the view with the arrows, and the crosshair with a pointing tool; farther with Shift", () => {
    const far = key("ArrowDown", { shiftKey: true });
    expect(commandOf(key("ArrowRight"), "pan")).toEqual({ type: "pan", by: { x: -1, y: 0 } });
    expect(commandOf(key("ArrowUp"), "point")).toEqual({ type: "crosshair", by: { x: 0, y: -1 } });
    expect(commandOf(far, "add")).toEqual({ type: "crosshair", by: { x: 0, y: 8 } });
  });

  it("place a point with Enter, add with Shift, take away with Alt", () => {
    const [shift, alt] = [key("Enter", { shiftKey: true }), key("Enter", { altKey: true })];
    expect(commandOf(key("Enter"), "point")).toEqual({ type: "place", tool: "point" });
    expect(commandOf(key("Enter"), "remove")).toEqual({ type: "place", tool: "remove" });
    expect(commandOf(shift, "point")).toEqual({ type: "place", tool: "add" });
    expect(commandOf(alt, "point")).toEqual({ type: "place", tool: "remove" });
  });

  it("are left to the browser if they are others, or with its modifiers", () => {
    expect(commandOf(key("Enter"), "pan")).toBeNull();
    expect(commandOf(key("Tab"), "point")).toBeNull();
    expect(commandOf(key("+", { ctrlKey: true }), "pan")).toBeNull();
    expect(commandOf(key("ArrowLeft", { metaKey: true }), "pan")).toBeNull();
    expect(commandOf(key("ArrowLeft", { altKey: true }), "pan")).toBeNull();
  });
});

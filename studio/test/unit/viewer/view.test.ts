import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fit,
  isFit,
  pan,
  resize,
  reveal,
  settle,
  toFrame,
  toPicture,
  zoom,
} from "../../../src/viewer/view/view.ts";

const size = (most: number) =>
  fc.record({ width: fc.integer({ min: 1, max: most }), height: fc.integer({ min: 1, max: most }) });
const number = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const point = fc.record({ x: number(5_000), y: number(5_000) });
const view = fc.record({
  scale: fc.double({ min: 0.001, max: 100, noNaN: true }),
  x: number(50_000),
  y: number(50_000),
});

/** A picture, the frame that it is seen in, and a view that people can have of it. */
const seen = fc
  .record({ picture: size(8_000), frame: size(4_000), any: view })
  .map(({ any, ...sizes }) => ({ ...sizes, view: settle(any, sizes.picture, sizes.frame) }));

const NEAR = 1e-6;

describe("a view of a picture", () => {
  it("shows the whole picture when it is fitted, and touches two sides of the frame", () => {
    fc.assert(
      fc.property(size(8_000), size(4_000), (picture, frame) => {
        const fitted = fit(picture, frame);
        const end = toFrame(fitted, { x: picture.width, y: picture.height });
        for (const at of [fitted.x, fitted.y]) expect(at).toBeGreaterThanOrEqual(-NEAR);
        expect(end.x).toBeLessThanOrEqual(frame.width + NEAR);
        expect(end.y).toBeLessThanOrEqual(frame.height + NEAR);
        const touches = Math.abs(fitted.x) < NEAR || Math.abs(fitted.y) < NEAR;
        expect(touches || fitted.scale === 32).toBe(true);
        expect(isFit(fitted, picture, frame)).toBe(true);
      }),
    );
  });

  it("has no gap at a side of the frame while the picture is larger than it, and is in the middle otherwise", () => {
    fc.assert(
      fc.property(seen, ({ picture, frame, view: settled }) => {
        const sides = [
          [settled.x, picture.width * settled.scale, frame.width],
          [settled.y, picture.height * settled.scale, frame.height],
        ] as const;
        for (const [from, extent, room] of sides) {
          if (extent <= room) expect(from).toBeCloseTo(room - extent - from, 6);
          else {
            expect(from).toBeLessThanOrEqual(0);
            expect(from + extent).toBeGreaterThanOrEqual(room - NEAR);
          }
        }
        expect(settle(settled, picture, frame)).toEqual(settled);
      }),
    );
  });

  it("returns each point of the frame in pixels of the picture, and back", () => {
    fc.assert(
      fc.property(seen, point, ({ view: settled }, at) => {
        const back = toFrame(settled, toPicture(settled, at));
        expect(back.x).toBeCloseTo(at.x, 4);
        expect(back.y).toBeCloseTo(at.y, 4);
      }),
    );
  });

  it("keeps the point under the pointer in place when it zooms, unless the picture would leave a gap", () => {
    const factor = fc.double({ min: 0.2, max: 5, noNaN: true });
    fc.assert(
      fc.property(seen, factor, point, ({ picture, frame, view: before }, by, about) => {
        const after = zoom(before, by, about, picture, frame);
        const at = toPicture(before, about);
        const free = { x: about.x - at.x * after.scale, y: about.y - at.y * after.scale };
        const there = toFrame(after, at);
        const leavesNoGap = (axis: "x" | "y", extent: number, room: number): boolean =>
          extent > room && free[axis] <= 0 && free[axis] + extent >= room;
        if (leavesNoGap("x", picture.width * after.scale, frame.width))
          expect(there.x).toBeCloseTo(about.x, 3);
        if (leavesNoGap("y", picture.height * after.scale, frame.height))
          expect(there.y).toBeCloseTo(about.y, 3);
      }),
    );
  });

  it("is never lost by panning, and keeps its zoom", () => {
    fc.assert(
      fc.property(seen, point, ({ picture, frame, view: before }, by) => {
        const after = pan(before, by, picture, frame);
        expect(settle(after, picture, frame)).toEqual(after);
        expect(after.scale).toBe(before.scale);
      }),
    );
  });

  it("moves until a pixel of the picture is in the frame, and not if it is there already", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(seen, share, ({ picture, frame, view: before }, part) => {
        const pixel = { x: picture.width * part, y: picture.height * part };
        const after = reveal(before, pixel, 24, picture, frame);
        const there = toFrame(after, pixel);
        expect(there.x).toBeGreaterThanOrEqual(-NEAR);
        expect(there.x).toBeLessThanOrEqual(frame.width + NEAR);
        expect(there.y).toBeGreaterThanOrEqual(-NEAR);
        expect(there.y).toBeLessThanOrEqual(frame.height + NEAR);
        const again = reveal(after, pixel, 24, picture, frame);
        expect(again.x).toBeCloseTo(after.x, 6);
        expect(again.y).toBeCloseTo(after.y, 6);
      }),
    );
  });

  it("stays fitted when the frame gets another size", () => {
    fc.assert(
      fc.property(size(8_000), size(4_000), size(4_000), (picture, from, to) => {
        expect(resize(fit(picture, from), picture, from, to)).toEqual(fit(picture, to));
      }),
    );
  });
});

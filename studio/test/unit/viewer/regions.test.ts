import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxBetween, pixelAt, withPoint } from "../../../src/viewer/input/pointing.ts";

const side = fc.integer({ min: 1, max: 5_000 });
const picture = fc.record({ width: side, height: side });
const coordinate = fc.double({ min: -9_000, max: 9_000, noNaN: true });
const point = fc.record({ x: coordinate, y: coordinate });

describe("a region", () => {
  it("has points in whole pixels of the picture, also for clicks outside it", () => {
    fc.assert(
      fc.property(picture, point, (size, at) => {
        const { x, y } = pixelAt(at, size);
        expect([x, y].every(Number.isInteger)).toBe(true);
        expect(x >= 0 && x < size.width && y >= 0 && y < size.height).toBe(true);
        if (at.x >= 0 && at.x < size.width) expect(x <= at.x && at.x < x + 1).toBe(true);
      }),
    );
  });

  it("has a box inside the picture, from any corner, or none", () => {
    fc.assert(
      fc.property(picture, point, point, (size, a, b) => {
        const region = boxBetween(a, b, size);
        expect(boxBetween(b, a, size)).toEqual(region);
        if (region === null) return;
        const [x, y, width, height] = region.box;
        expect(region.box.every(Number.isInteger)).toBe(true);
        expect(x >= 0 && y >= 0 && width >= 1 && height >= 1).toBe(true);
        expect(x + width <= size.width && y + height <= size.height).toBe(true);
      }),
    );
  });

  it("of a box without a width or a height is none", () => {
    const size = { width: 100, height: 100 };
    expect(boxBetween({ x: 10, y: 10 }, { x: 10.2, y: 60 }, size)).toBeNull();
    expect(boxBetween({ x: -50, y: 10 }, { x: -10, y: 60 }, size)).toBeNull();
    expect(boxBetween({ x: 10, y: 10 }, { x: 15, y: 60 }, size, 6)).toBeNull();
  });

  it("takes points on the object and outside it, up to the service's limit", () => {
    let region = withPoint({ points: [{ x: 1, y: 2, label: 1 }] }, { x: 0, y: 3, label: 0 });
    for (let i = 2; i < 20; i++) region = withPoint(region ?? undefined, { x: i, y: 3, label: 0 });
    expect(region).toMatchObject({ points: { length: 20, 1: { x: 0, y: 3, label: 0 } } });
    expect(withPoint(region ?? undefined, { x: 5, y: 5, label: 1 })).toBeNull();
  });

  it("gets no point for a box, or without a region", () => {
    expect(withPoint({ box: [1, 2, 3, 4] }, { x: 5, y: 5, label: 0 })).toBeNull();
    expect(withPoint(undefined, { x: 5, y: 5, label: 0 })).toBeNull();
  });
});

import { assert, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import type { Layer } from "./layer.ts";
import { type Placed, renderFrame, type Scene, truthAt } from "./scene.ts";

const [WIDTH, HEIGHT] = [48, 32];
const place = record({
  x: integer({ min: -40, max: 60 }),
  y: integer({ min: -30, max: 40 }),
  scale: integer({ min: 1, max: 3 }),
});

/** A plain piece, clear along its left and upper edges and opaque elsewhere; the opaque part is the object. */
function piece(name: string, value: number): Layer {
  const [width, height] = [12, 10];
  const inner = (i: number): boolean => i % width > 2 && Math.floor(i / width) > 1;
  const plane = Uint8Array.from({ length: width * height }, (_, i) => (inner(i) ? 255 : 0));
  const rgb = new Uint8Array(3 * width * height).fill(value);
  return { width, height, rgb, cover: plane, objects: { [name]: plane } };
}

function still(...placed: Placed[]): Scene {
  return { width: WIDTH, height: HEIGHT, fps: 10, seconds: 1, at: () => placed };
}

test("the truth about an object is where it can be seen on the frame", () => {
  const [far, near] = [piece("far", 255), piece("near", 0)];
  assert(
    property(place, place, (behind, before) => {
      const scene = still({ layer: far, ...behind, scale: 1 }, { layer: near, ...before, scale: 1 });
      const frame = renderFrame(scene, 0);
      const seen = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => ((frame[3 * i] ?? 0) > 127 ? 1 : 0));
      expect(truthAt(scene, 0).find(({ name }) => name === "far")?.mask).toEqual(seen);
    }),
  );
});

test("an enlarged object's truth is its outline on the frame, to half a sample", () => {
  const layer = piece("it", 255);
  assert(
    property(place, (where) => {
      const scene = still({ layer, ...where });
      const frame = renderFrame(scene, 0);
      const mask = truthAt(scene, 0)[0]?.mask ?? expect.fail();
      const differ = mask.reduce(
        (n, value, i) => n + (value === ((frame[3 * i] ?? 0) > 127 ? 1 : 0) ? 0 : 1),
        0,
      );
      expect(differ).toBeLessThanOrEqual(2 * where.scale ** 2);
    }),
  );
});

test("parts beyond the edge or behind another object can't be seen", () => {
  const layer = piece("it", 255);
  const share = (...placed: Placed[]): number | undefined => truthAt(still(...placed), 0)[0]?.visibleShare;
  const whole = { layer, x: 5, y: 5, scale: 1 };
  expect(share(whole)).toBe(1);
  expect(share({ ...whole, x: WIDTH })).toBe(0);
  expect(share(whole, { ...whole, layer: piece("other", 0) })).toBe(0);
});

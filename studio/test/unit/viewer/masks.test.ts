import fc from "fast-check";
import { type Bitmap, encodeRle } from "segmentation-client/masks";
import { describe, expect, it } from "vitest";
import { maskFile } from "../../../../client/test/support/shapes.ts";
import { type Patch, ShownMasks } from "../../../src/viewer/masks/index-map.ts";
import { coreOf, decodeMask, isInside } from "../../../src/viewer/masks/packed.ts";
import { MaskIndexes } from "../../../src/viewer/masks/mask-store.ts";

const pixels = (count: number) =>
  fc.array(fc.constantFrom(0, 0, 255), { minLength: count, maxLength: count });
const sizes = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }));

/** One to five masks of one size, of pixels in any places. */
const bitmaps = sizes.chain(([width, height]) =>
  fc.array(
    pixels(width * height).map((data): Bitmap => ({ width, height, data: Uint8Array.from(data) })),
    { minLength: 1, maxLength: 5 },
  ),
);
const bitmap = bitmaps.map(([first]) => first ?? { width: 1, height: 1, data: new Uint8Array(1) });

/** Applies a patch to the page's map. */
function take(map: Uint16Array, width: number, patch: Patch | null): void {
  if (patch === null) return;
  for (let y = 0; y < patch.height; y++)
    map.set(patch.indexes.subarray(y * patch.width, (y + 1) * patch.width), (patch.y + y) * width + patch.x);
}

const area = ({ data }: Bitmap): number => data.filter((value) => value === 255).length;

/** The index that a pixel should have: the smallest mask's; of two that are alike the later one's. */
function indexAt(masks: readonly Bitmap[], shown: readonly number[], pixel: number): number {
  let best = -1;
  for (const i of shown) {
    const mask = masks[i];
    if (mask?.data[pixel] !== 255) continue;
    const top = masks[best];
    if (top === undefined || area(mask) <= area(top)) best = i;
  }
  return best + 1;
}

describe("a mask in the viewer", () => {
  it("has the same pixels, whether it comes as a file, as RLE or as pixels", async () => {
    await fc.assert(
      fc.asyncProperty(bitmap, async (mask) => {
        for (const source of [new Blob([maskFile(mask, "cup")]), encodeRle(mask), mask]) {
          const packed = await decodeMask(source);
          const found = mask.data.map((_, i) =>
            isInside(packed, { x: i % mask.width, y: Math.floor(i / mask.width) }) ? 255 : 0,
          );
          expect(found).toEqual(mask.data);
          expect(packed.area).toBe(area(mask));
        }
      }),
    );
  });

  it("has no pixels outside the picture", async () => {
    const packed = await decodeMask({ width: 3, height: 2, data: new Uint8Array(6).fill(255) });
    for (const [x, y] of [
      [-1, 0],
      [3, 1],
      [0, -1],
      [1, 2],
    ] as const)
      expect(isInside(packed, { x, y })).toBe(false);
  });
});

describe("the index map", () => {
  it("has the smallest shown mask at each pixel, after any other state", async () => {
    const turns = fc.array(fc.array(fc.nat(4), { maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(bitmaps, turns, async (masks, shownInTurn) => {
        const [{ width, height } = { width: 0, height: 0 }] = masks;
        const worker = new ShownMasks();
        const page = new Uint16Array(width * height);
        worker.open({ type: "open", width, height, step: 1 });
        for (const [i, mask] of masks.entries()) worker.keep(String(i), await decodeMask(mask));
        for (const [turn, wanted] of shownInTurn.entries()) {
          const shown = [...new Set(wanted)].filter((i) => i < masks.length).toSorted((a, b) => a - b);
          const keys = shown.map((i) => ({ key: String(i), index: i + 1 }));
          take(page, width, worker.show({ type: "show", turn, masks: keys }).patch);
          expect(page).toEqual(page.map((_, pixel) => indexAt(masks, shown, pixel)));
        }
      }),
    );
  });

  it("of a picture that is too large for the graphics has every step-th pixel", async () => {
    await fc.assert(
      fc.asyncProperty(bitmap, fc.integer({ min: 2, max: 5 }), async (mask, step) => {
        const [width, height] = [Math.ceil(mask.width / step), Math.ceil(mask.height / step)];
        const worker = new ShownMasks();
        const page = new Uint16Array(width * height);
        worker.open({ type: "open", width, height, step });
        worker.keep("mask", await decodeMask(mask));
        const { patch } = worker.show({ type: "show", turn: 1, masks: [{ key: "mask", index: 9 }] });
        take(page, width, patch);
        const expected = page.map((_, i) => {
          const [x, y] = [(i % width) * step, Math.floor(i / width) * step];
          return mask.data[y * mask.width + x] === 255 ? 9 : 0;
        });
        expect(page).toEqual(expected);
      }),
    );
  });

  it("is not sent again without changes, and names missing masks", async () => {
    const worker = new ShownMasks();
    worker.open({ type: "open", width: 8, height: 1, step: 1 });
    worker.keep("a", await decodeMask({ width: 8, height: 1, data: new Uint8Array(8).fill(255) }));
    const masks = [
      { key: "a", index: 1 },
      { key: "b", index: 2 },
    ];
    const first = worker.show({ type: "show", turn: 1, masks });
    expect(first).toMatchObject({ patch: { width: 8 }, missing: ["b"] });
    expect(worker.show({ type: "show", turn: 2, masks }).patch).toBeNull();
  });
});

describe("mask indexes", () => {
  it("stay with their ids, and are unique", () => {
    const ids = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"));
    fc.assert(
      fc.property(fc.array(ids, { minLength: 1, maxLength: 6 }), (lists) => {
        const indexes = new MaskIndexes();
        let before: ReadonlyMap<string, number> = new Map();
        for (const list of lists) {
          const now = new Map(indexes.of(list));
          expect(new Set(now.values()).size).toBe(list.length);
          for (const id of list) {
            expect(now.get(id)).toBeGreaterThan(0);
            expect(before.get(id) ?? now.get(id)).toBe(now.get(id));
          }
          before = now;
        }
      }),
    );
  });
});

describe("the pixel in the middle of a mask", () => {
  it("is inside, in the middle of a longest row of pixels; an empty mask has none", async () => {
    await fc.assert(
      fc.asyncProperty(bitmap, async (mask) => {
        const core = coreOf(await decodeMask(mask));
        const rows = Array.from({ length: mask.height }, (_, y) =>
          [...mask.data.subarray(y * mask.width, (y + 1) * mask.width)]
            .map((value) => (value ? "#" : " "))
            .join(""),
        );
        const longest = Math.max(0, ...rows.flatMap((row) => row.split(" ").map((run) => run.length)));
        expect(core === null).toBe(longest === 0);
        if (core === null) return;
        const row = rows[core.y] ?? "";
        const before = /#*$/.exec(row.slice(0, core.x))?.[0].length ?? 0;
        const after = /^#*/.exec(row.slice(core.x))?.[0].length ?? 0;
        expect(before + after).toBe(longest);
        expect(after - 1 - before).toBeGreaterThanOrEqual(0);
        expect(after - 1 - before).toBeLessThanOrEqual(1);
      }),
    );
  });
});

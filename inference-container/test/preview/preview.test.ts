import sharp from "sharp";
import { expect, test } from "vitest";
import type { Instance, Picture } from "../../src/models/model.ts";
import { renderPreview } from "../../src/preview/preview.ts";

const grey = (width: number, height: number): Picture => ({
  width,
  height,
  rgb: Buffer.alloc(width * height * 3, 128),
  contentHash: "hash",
});

/** Covers the lower right quarter. */
const quarter: Instance = {
  promptIndex: 0,
  score: 0.9,
  box: [0, 0, 1, 1],
  mask: { width: 2, height: 2, logits: Float32Array.from([-9, -9, -9, 9]) },
  faint: false,
};

async function render(picture: Picture, instances: readonly Instance[], prompts = ["cat"]) {
  const named = instances.map(({ promptIndex, score, mask }) => {
    return { name: prompts[promptIndex] ?? "", score, mask };
  });
  const png = await renderPreview(picture, named, 0.5, () => Promise.resolve());
  return sharp(png).raw().toBuffer({ resolveWithObject: true });
}

test.for([
  [400, 300, 400, 300],
  [4096, 1024, 2048, 512],
  [1000, 3000, 683, 2048],
  [1, 1, 1, 1],
  [5000, 1, 2048, 1],
] as const)("a picture of %d × %d is shown at %d × %d", async ([width, height, toWidth, toHeight]) => {
  const { info } = await render(grey(width, height), [quarter]);
  expect([info.width, info.height, info.channels]).toEqual([toWidth, toHeight, 3]);
});

test("an object is tinted and outlined, and the rest stays unchanged", async () => {
  const { data } = await render(grey(400, 300), [quarter]);
  const at = (x: number, y: number): number[] => [...data.subarray((y * 400 + x) * 3, (y * 400 + x) * 3 + 3)];
  expect(at(50, 280)).toEqual([128, 128, 128]);
  expect(at(350, 280)).not.toEqual([128, 128, 128]);
  const row = Array.from({ length: 400 }, (_, x) => at(x, 290).join());
  expect(new Set(row).size).toBeGreaterThanOrEqual(3);
});

test("a preview without objects is the picture", async () => {
  const { data } = await render(grey(64, 48), []);
  expect(new Set(data)).toEqual(new Set([128]));
});

test.for(["<b>&amp;", "猫 🐈 кошка", "a\u0000b\n\tc", "x".repeat(200), " "])(
  "a label with the prompt %j is drawn",
  async (prompt) => {
    const { data } = await render(grey(600, 400), [quarter], [prompt]);
    const whites = data.filter((value) => value > 245).length;
    expect(whites).toBeGreaterThan(20);
  },
);

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { ImageInput } from "../../src/models/manifest.ts";
import type { Picture } from "../../src/models/model.ts";

const Images = z.object({ images: z.object({ segmenter: ImageInput }) });
const SIDE = 256;
const BYTES = { padding: 0, mean: [0, 0, 0], std: [1, 1, 1] } satisfies Partial<ImageInput>;

/** A gray picture; `grey` gives the byte of a pixel by its column and row. */
function drawn(width: number, height: number, grey: (x: number, y: number) => number): Picture {
  const rgb = Uint8Array.from({ length: 3 * width * height }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return grey(pixel % width, Math.floor(pixel / width));
  });
  return { width, height, rgb, contentHash: null };
}

/** The first channel of the picture as an input of `width` × `height`, row by row. */
async function resized(picture: Picture, width: number, height: number, kernel: ImageInput["kernel"]) {
  const { tensor } = await imageTensor(picture, { width, height, fit: "stretch", kernel, ...BYTES });
  return Array.from({ length: width * height }, (_, i) => Number(tensor.data[i]));
}

describe.each(["linear", "lanczos3"] as const)(
  "a picture that is resized to a graph's input (%s)",
  (kernel) => {
    it("has the values of PyTorch's bilinear interpolation without aligned corners when it is enlarged", async () => {
      const ramp = drawn(4, 1, (x) => 60 * x);
      // torch.nn.functional.interpolate(tensor([[[0., 60., 120., 180.]]]), size=8, mode="linear")
      expect(await resized(ramp, 8, 1, kernel)).toEqual([0, 15, 45, 75, 105, 135, 165, 180]);
    });

    it.each([
      ["enlarged", 100],
      ["shrunk", 640],
    ])("keeps a step edge in its place when it is %s", async (_, size) => {
      const across = await resized(
        drawn(size, size, (x) => (x < 0.6 * size ? 0 : 200)),
        SIDE,
        SIDE,
        kernel,
      );
      const down = await resized(
        drawn(size, size, (_x, y) => (y < 0.6 * size ? 0 : 200)),
        SIDE,
        SIDE,
        kernel,
      );
      // The number of dark pixels in a row, fractions included: it gives the position of the edge.
      const dark = (values: number[]): number => values.reduce((sum, value) => sum + 1 - value / 200, 0);
      const row = across.slice(100 * SIDE, 101 * SIDE);
      const column = Array.from({ length: SIDE }, (__, y) => down[y * SIDE + 100] ?? Number.NaN);
      expect([dark(row), dark(column)].map((edge) => Math.abs(edge - 0.6 * SIDE) < 0.1)).toEqual([
        true,
        true,
      ]);
    });

    it.each([
      ["enlarged", 90, 70],
      ["shrunk", 600, 500],
      ["enlarged on one axis and shrunk on the other", 600, 90],
    ])("keeps the centre of a disc in its place when it is %s", async (_, width, height) => {
      const [cx, cy] = [0.37 * width, 0.61 * height];
      const inside = (x: number, y: number): boolean =>
        ((x + 0.5 - cx) / width) ** 2 + ((y + 0.5 - cy) / height) ** 2 < 0.04;
      const values = await resized(
        drawn(width, height, (x, y) => (inside(x, y) ? 255 : 0)),
        SIDE,
        SIDE,
        kernel,
      );
      const total = values.reduce((sum, value) => sum + value, 0);
      const x = values.reduce((sum, value, i) => sum + value * ((i % SIDE) + 0.5), 0) / total;
      const y = values.reduce((sum, value, i) => sum + value * (Math.floor(i / SIDE) + 0.5), 0) / total;
      const drawnAt = centre(width, height, inside);
      expect(Math.abs(x - drawnAt.x * SIDE)).toBeLessThan(0.05);
      expect(Math.abs(y - drawnAt.y * SIDE)).toBeLessThan(0.05);
    });
  },
);

it.each(["builtin/manifest.json", "grounding-dino-sam2/onnx-community.json"])(
  "SAM 2 sees no ringing at an edge, as its reference shrinks bilinearly (%s)",
  async (name) => {
    const path = new URL(`../../models/${name}`, import.meta.url);
    const { images } = Images.parse(JSON.parse(await readFile(path, "utf8")));
    const step = drawn(2048, 2, (x) => (x < 1025 ? 60 : 200));
    const { tensor } = await imageTensor(step, { ...images.segmenter, ...BYTES, height: 2 });
    const seen = Array.from({ length: images.segmenter.width }, (_, i) => Number(tensor.data[i]));
    expect([Math.min(...seen), Math.max(...seen)]).toEqual([60, 200]);
  },
);

/** The center of the pixels inside, as shares of the picture's sides. */
function centre(width: number, height: number, inside: (x: number, y: number) => boolean) {
  let [count, x, y] = [0, 0, 0];
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      if (inside(column, row)) [count, x, y] = [count + 1, x + column + 0.5, y + row + 0.5];
  return { x: x / count / width, y: y / count / height };
}

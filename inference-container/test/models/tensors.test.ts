/// <reference lib="esnext.float16" />
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BuiltinManifest } from "../../src/models/builtin/manifest.ts";
import { TEMPLATE } from "../../src/models/fetch/build-folder.ts";
import { readManifest } from "../../src/models/folder.ts";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { ImageInput } from "../../src/models/manifest.ts";
import { filledTensor, floatValues, tensorOf } from "../../src/models/tensors.ts";

describe("a tensor", () => {
  it("holds its values in the type that a graph takes", () => {
    const data = (dtype: Parameters<typeof tensorOf>[0]): unknown => tensorOf(dtype, [0, 1, 2], [3]).data;
    expect(data("float32")).toEqual(Float32Array.of(0, 1, 2));
    expect(data("int64")).toEqual(BigInt64Array.of(0n, 1n, 2n));
    expect(data("int32")).toEqual(Int32Array.of(0, 1, 2));
    expect(data("uint8")).toEqual(Uint8Array.of(0, 1, 2));
    expect(data("bool")).toEqual(Uint8Array.of(0, 1, 1));
  });

  it("of half precision gives back its values, rounded to 11 bits", () => {
    const value = fc.float({ min: -1000, max: 1000, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 9 }), fc.nat(9), (values, from) => {
        const rounded = Float32Array.from(Float16Array.from(values));
        const tensor = tensorOf("float16", values, [values.length]);
        expect(floatValues(tensor)).toEqual(rounded);
        expect(floatValues(tensor, from, from + 2)).toEqual(rounded.slice(from, from + 2));
      }),
    );
  });

  it("has the graph's shape for a single value", () => {
    const { dims, data } = filledTensor({ dtype: "int64", shape: ["batch", 3] }, -10);
    expect([dims, data]).toEqual([[1, 3], BigInt64Array.of(-10n, -10n, -10n)]);
    expect(filledTensor({ dtype: "int64", shape: [] }, 480).dims).toEqual([]);
  });

  it("of whole numbers holds no float values", () => {
    expect(floatValues(tensorOf("int64", [1], [1]))).toBeUndefined();
    expect(floatValues(undefined)).toBeUndefined();
  });
});

describe("a picture as a graph's input", () => {
  const picture = { width: 2, height: 1, rgb: Uint8Array.of(0, 51, 255, 10, 20, 30), contentHash: null };
  const size = { width: 2, height: 1, fit: "stretch", kernel: "linear", padding: 0 } as const;

  it("is its bytes by channel if the graph normalizes", async () => {
    const { tensor } = await imageTensor(picture, { ...size, mean: [0, 0, 0], std: [1, 1, 1] }, "uint8");
    expect([tensor.type, tensor.dims, tensor.data]).toEqual([
      "uint8",
      [1, 3, 1, 2],
      Uint8Array.of(0, 10, 51, 20, 255, 30),
    ]);
  });

  it("runs from -1 to 1 where mean and deviation are half of the range", async () => {
    const { tensor } = await imageTensor(picture, {
      ...size,
      mean: [127.5, 127.5, 127.5],
      std: [127.5, 127.5, 127.5],
    });
    const expected = [0, 10, 51, 20, 255, 30].map((byte) => byte / 127.5 - 1);
    expect(tensor.dims).toEqual([1, 3, 1, 2]);
    for (const [i, value] of expected.entries()) expect(Number(tensor.data[i])).toBeCloseTo(value, 5);
  });

  it("has zeros outside the picture for the embedded detector, as in its training, and the picture in the corner", async () => {
    const { images } = await readManifest(TEMPLATE, BuiltinManifest);
    const { tensor } = await imageTensor(picture, images.detector);
    const { width, height } = images.detector;
    const [top, bottom] = [0, width * (height / 2 + 1)].map((at) => Number(tensor.data[at]));
    expect([top, bottom]).toEqual([expect.closeTo((0 - 127) / 128, 5), 0]);
  });

  it("has black bars if the manifest names no padding", () => {
    const { width, height, fit } = size;
    const input = { width, height, fit, mean: [0, 0, 0], std: [1, 1, 1] };
    expect(ImageInput.parse(input).padding).toBe(0);
  });
});

import * as fc from "fast-check";
import { InferenceSession, Tensor } from "../../src/onnx/runtime.ts";
import { describe, expect, it } from "vitest";
import { rebuildDecoder } from "../../src/models/fetch/decoder/rebuild.ts";
import { decodeBoxes } from "../../src/models/fetch/detector/convert.ts";
import { dequantised, kernel, type TfliteTensor } from "../../src/models/fetch/detector/tflite.ts";
import { OnnxGraph } from "../../src/onnx/graph-writer.ts";

function weights(
  shape: readonly number[],
  stored: readonly number[],
  scales: readonly number[],
  axis: number,
): TfliteTensor {
  const data = new Uint8Array(Int8Array.from(stored).buffer);
  return { name: "w", shape, type: "int8", data, scales, zeroPoints: scales.map(() => 0), axis };
}

describe("the detector's boxes", () => {
  it("are decoded from anchors by the graph as the SSD box coder defines it", async () => {
    const value = fc.double({ min: 0.05, max: 0.9, noNaN: true });
    const delta = fc.double({ min: -1, max: 1, noNaN: true });
    const row = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<[T, T, T, T]> => fc.tuple(one, one, one, one);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(row(value), row(delta)), { minLength: 1, maxLength: 5 }),
        async (rows) => {
          const graph = new OnnxGraph();
          const count = rows.length;
          const anchors = Float32Array.from(rows.flatMap(([anchor]) => anchor));
          decodeBoxes(graph, { deltas: graph.input("deltas", [1, count, 4]), anchors, count });
          graph.output("boxes", [1, count, 4]);
          const session = await InferenceSession.create(graph.file("boxes"));
          const deltas = new Tensor("float32", Float32Array.from(rows.flatMap(([, d]) => d)), [1, count, 4]);
          const found = (await session.run({ deltas }))["boxes"]?.data ?? [];
          await session.release();
          const expected = rows.flatMap(([[y, x, h, w], [dy, dx, dh, dw]]) => {
            const [cy, cx, height, width] = [dy * h + y, dx * w + x, Math.exp(dh) * h, Math.exp(dw) * w];
            return [cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2];
          });
          for (const [i, side] of expected.entries()) expect(Number(found[i])).toBeCloseTo(side, 4);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("quantised weights", () => {
  it("are scaled by output channel along their axis", () => {
    expect([...dequantised(weights([2, 1, 1, 2], [1, 2, 3, -4], [0.5, 2], 0))]).toEqual([0.5, 1, 6, -8]);
    expect([...dequantised(weights([1, 1, 2, 2], [1, 2, 3, -4], [0.5, 2], 3))]).toEqual([0.5, 4, 1.5, -8]);
  });

  it("of a convolution change from channels last to channels first", () => {
    const { shape, values } = kernel(weights([1, 1, 2, 3], [1, 2, 3, 4, 5, 6], [1], 0), false);
    expect([shape, [...values]]).toEqual([
      [1, 3, 1, 2],
      [1, 4, 2, 5, 3, 6],
    ]);
  });

  it("of a depthwise convolution become one filter for each channel", () => {
    const { shape, values } = kernel(weights([1, 1, 2, 3], [1, 2, 3, 4, 5, 6], [1], 3), true);
    expect([shape, [...values]]).toEqual([
      [3, 1, 1, 2],
      [1, 4, 2, 5, 3, 6],
    ]);
  });
});

it("a file that is not SAM 2's decoder is refused, by the name of the weight that it lacks", () => {
  expect(() => rebuildDecoder(new Uint8Array())).toThrow("SAM 2's decoder lacks the weight \"");
});

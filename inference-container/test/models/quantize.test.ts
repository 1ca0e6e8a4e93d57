import { expect, it } from "vitest";
import { quantized, withInt8Products } from "../../src/models/fetch/quantize.ts";
import { OnnxGraph } from "../../src/onnx/graph-writer.ts";
import { InferenceSession, Tensor } from "../../src/onnx/runtime.ts";

/** A column of weights whose largest is `most`, reduced to eight bits. */
function reduced(most: number, ...others: readonly number[]): number[] {
  const { values } = quantized({ columns: 1, values: Float32Array.of(most, ...others) });
  return [...values];
}

it("rounds halves to the even number", () => {
  expect(reduced(127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4, -2.6)).toEqual([127, 0, 2, 2, 0, -2, -2, 2, -3]);
});

it("divides as floats of 32 bits are divided", () => {
  // As doubles, both quotients are on the other side of a half.
  expect(reduced(0.5293483138084412, 0.16047173738479614)).toEqual([127, 38]);
  expect(reduced(1.4465183019638062, 0.7460389137268066)).toEqual([127, 66]);
});

it("gives each column its scale, and a column of zeros the scale 1", () => {
  const values = Float32Array.of(1, -254, 0, -0.5, 127, 0);
  expect(quantized({ columns: 3, values })).toEqual({
    values: Int8Array.of(127, -127, 0, -64, 64, 0),
    scales: Float32Array.of(1 / 127, 2, 1),
  });
});

it("multiplies by constant matrices in integers, and leaves other products alone", async () => {
  const graph = new OnnxGraph();
  const x = graph.input("x", [2, 4]);
  const weights = Float32Array.from({ length: 12 }, (_, i) => Math.sin(i));
  const a = graph.node("MatMul", [x, graph.floats([4, 3], weights)]);
  const b = graph.node("MatMul", [x, graph.floats([4, 3], weights.toReversed())]);
  graph.node("MatMul", [graph.node("Transpose", [a], { perm: [1, 0] }), b], {}, "y");
  graph.output("y", [3, 3]);
  const file = graph.file("products");
  const integers = withInt8Products(file);
  const count = (operator: string): number =>
    Buffer.from(integers).toString("latin1").split(operator).length - 1;
  expect([count("MatMulInteger"), count("DynamicQuantizeLinear")]).toEqual([2, 1]);

  const feeds = { x: new Tensor("float32", Float32Array.of(1, -2, 3, 0.5, -1, 0, 2, 1), [2, 4]) };
  const [exact, near] = await Promise.all(
    [file, integers].map(async (bytes) => {
      const session = await InferenceSession.create(bytes);
      const { y } = await session.run(feeds);
      await session.release();
      return y?.data instanceof Float32Array ? [...y.data] : [];
    }),
  );
  for (const [at, value] of (exact ?? []).entries()) expect(near?.[at]).toBeCloseTo(value, 0);
  expect(near).not.toEqual(exact);
});

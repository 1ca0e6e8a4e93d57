import { afterAll, beforeAll, expect, test } from "vitest";
import { valuesOf } from "@segmentation/masks";
import { Usage } from "../../../src/device/usage.ts";
import { GraphSet } from "../../../src/models/graph.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../../src/models/loaded-model.ts";
import type { TensorSpec } from "../../../src/models/manifest.ts";
import { Embedder } from "../../../src/models/sam2/embedder.ts";
import { tensorOf } from "../../../src/models/tensors.ts";
import { OnnxGraph } from "../../../src/onnx/graph-writer.ts";
import { present } from "../../../../test/support/at.ts";

/** Features of a grid of 8 × 2 cells: three, five and two channels. */
const SHAPES = { embedding: [1, 3, 8, 2], middle: [16, 5], fine: [64, 2] } as const;

let graphs: GraphSet;
beforeAll(() => {
  graphs = new GraphSet("", { ...DEFAULT_LOAD_OPTIONS, threads: 1 });
});
afterAll(() => graphs.close());

/** A graph that returns its inputs, which are a decoder's features. */
async function features(dtype: TensorSpec["dtype"] = "float32") {
  const graph = new OnnxGraph();
  const specs = Object.entries(SHAPES).map(([role, shape]) => {
    graph.node("Identity", [graph.input(`${role}_in`, shape)], {}, `${role}_out`);
    graph.output(`${role}_out`, shape);
    return { role, shape: [...shape] };
  });
  const tensors = (end: string) =>
    specs.map(({ role, shape }) => ({ role, name: `${role}_${end}`, dtype: "float32" as const, shape }));
  const spec = { file: "features.onnx", inputs: tensors("in"), outputs: tensors("out") };
  const made = await graphs.make(spec, graph.file("features"));
  return Object.assign(made, { inputs: made.inputs.map((input) => ({ ...input, dtype })) });
}

test("a value is at most half a step from its feature, and equal values stay", async () => {
  const graph = await features();
  const embedder = present(await Embedder.load(graphs, graph));
  const values = Object.entries(SHAPES).map(([role, shape]) => {
    const count = shape.reduce<number>((product, size) => product * size, 1);
    // The first rows of cells are equal.
    const each = Float32Array.from({ length: count }, (_, at) =>
      at < 4 ? 7.5 : Math.sin(at) * 2 ** (at % 9),
    );
    return { role, each, tensor: tensorOf("float32", each, shape) };
  });
  const usage = new Usage();
  using held = await graph.hold(usage, Object.fromEntries(values.map(({ role, tensor }) => [role, tensor])));
  const tensors = await embedder.embed(held, usage);
  expect(tensors.map(({ name, dims, blocks }) => ({ name, dims, blocks }))).toEqual([
    { name: "embedding_in", dims: SHAPES.embedding, blocks: [6, 8, 1] },
    { name: "middle_in", dims: SHAPES.middle, blocks: [2, 8, 5] },
    { name: "fine_in", dims: SHAPES.fine, blocks: [2, 32, 2] },
  ]);
  for (const [at, tensor] of tensors.entries()) {
    const most = Math.max(...tensor.step);
    const read = valuesOf(tensor);
    for (const [i, value] of present(values[at]).each.entries())
      expect(Math.abs((read[i] ?? Number.NaN) - value)).toBeLessThanOrEqual(most / 2 + 1e-4);
  }
});

test("features of 16 bits have no embedding", async () => {
  expect(await Embedder.load(graphs, await features("float16"))).toBeUndefined();
});

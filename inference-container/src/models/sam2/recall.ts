/** Finds the cells of a picture that show a known object: the nearest cells of remembered pictures vote. */
import { Tensor } from "../../onnx/runtime.ts";
import type { Usage } from "../../device/usage.ts";
import { OnnxGraph } from "../../onnx/graph-writer.ts";
import { floats, type Graph, type GraphSet } from "../graph.ts";
import type { GraphSpec } from "../manifest.ts";
import type { CellAppearance, KnownCells } from "../model.ts";

/** The number of the nearest remembered cells that vote on a cell. */
const VOTERS = 10;

/** The divisor of the cosines before the softmax that weighs the votes. */
const TEMPERATURE = 0.07;

const any = (role: string, shape: (number | string)[]) =>
  ({ role, name: role, dtype: "float32", shape }) as const;

const SPEC: GraphSpec = {
  file: "recall.onnx",
  inputs: [
    any("cells", ["cells", "channels"]),
    any("known", ["known", "channels"]),
    any("inside", ["known"]),
  ],
  outputs: [any("votes", ["cells"])],
};

/**
 * The graph. For each cell it computes the cosines with all known cells; the softmax of the `VOTERS` largest weighs the
 * object's shares in those cells. As a graph it runs where the features are: 4,096 cells against 5,000 are 5 billion
 * products.
 */
function file(): Uint8Array {
  const graph = new OnnxGraph();
  const cells = graph.input("cells", ["cells", "channels"]);
  const known = graph.input("known", ["known", "channels"]);
  const inside = graph.input("inside", ["known"]);
  const cosines = graph.node("MatMul", [cells, graph.node("Transpose", [known], { perm: [1, 0] })]);
  const nearest = graph.node("TopK", [cosines, graph.int64s([VOTERS])], { axis: 1 }, "nearest", "at");
  const sharpened = graph.node("Div", [nearest, graph.floats([1], Float32Array.of(TEMPERATURE))]);
  const weights = graph.node("Softmax", [sharpened], { axis: 1 });
  const weighed = graph.node("Mul", [weights, graph.node("Gather", [inside, "at"], { axis: 0 })]);
  graph.node("ReduceSum", [weighed, graph.int64s([1])], { keepdims: 0 }, "votes");
  graph.output("votes", ["cells"]);
  return graph.file("recall");
}

export class Recall {
  readonly #graph: Graph;

  private constructor(graph: Graph) {
    this.#graph = graph;
  }

  static async load(graphs: GraphSet): Promise<Recall> {
    return new Recall(await graphs.make(SPEC, file()));
  }

  /** The share of the object in each cell, 0 to 1, by the known cells. @param known at least `VOTERS` cells */
  async votes(cells: CellAppearance, known: KnownCells, usage: Usage): Promise<Float32Array> {
    const { channels } = cells;
    const results = await this.#graph.run(
      usage,
      {
        cells: new Tensor("float32", cells.appearance, [cells.appearance.length / channels, channels]),
        known: new Tensor("float32", known.appearance, [known.appearance.length / channels, channels]),
        inside: new Tensor("float32", known.inside, [known.inside.length]),
      },
      { moved: ["cells", "known", "inside"], followed: true },
    );
    return floats(results, "votes");
  }
}

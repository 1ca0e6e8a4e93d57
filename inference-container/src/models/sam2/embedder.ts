/** Reduces a picture's features to bytes, so that masks can be decoded where the features are not. */
import type { Blocks, EmbeddedTensor } from "@segmentation/masks";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import { OnnxGraph, UINT8 } from "../../onnx/graph-writer.ts";
import { floats, type Graph, type GraphSet } from "../graph.ts";
import type { GraphSpec, TensorSpec } from "../manifest.ts";

const ROLES = ["embedding", "middle", "fine"] as const;
type Role = (typeof ROLES)[number];

/** The rows of cells whose values share a minimum and a step in each channel: their range is smaller than the picture's. */
const ROWS = 4;

/** The largest byte. */
const MOST = 255;
/** The step of equal values: no float that matters is as small. */
const LEAST_STEP = 1e-12;

/** A feature: its tensor's name in the decoder, and its sizes. */
interface Feature {
  readonly role: Role;
  readonly name: string;
  readonly dims: readonly number[];
  readonly blocks: Blocks;
}

/** @param rows of cells in the picture */
function blocksOf(dims: readonly number[], rows: number): Blocks {
  const strips = rows % ROWS === 0 ? rows / ROWS : 1;
  const [count, channels] = [dims.reduce((product, size) => product * size, 1), dims[1] ?? 1];
  // Pictures have their channels first, rows of cells have them last.
  if (dims.length === 4) return [channels * strips, count / channels / strips, 1];
  return [strips, count / channels / strips, channels];
}

const rangeDims = ({ blocks: [outer, , inner] }: Feature): number[] => [outer, 1, inner];

const minimumOf = ({ role }: Feature): string => `${role} minimum`;
const stepOf = ({ role }: Feature): string => `${role} step`;

/** The graph. It runs where the features are: a copy of them has 17 MB. */
function file(features: readonly Feature[]): Uint8Array {
  const graph = new OnnxGraph();
  const number = (value: number): string => graph.floats([], Float32Array.of(value));
  for (const feature of features) {
    const given = graph.input(feature.role, feature.dims);
    const values = graph.node("Reshape", [given, graph.int64s(feature.blocks)]);
    const reduced = { axes: [1], keepdims: 1 };
    const least = graph.node("ReduceMin", [values], reduced, minimumOf(feature));
    const range = graph.node("Sub", [graph.node("ReduceMax", [values], reduced), least]);
    const steps = graph.node("Div", [range, number(MOST)]);
    const step = graph.node("Max", [steps, number(LEAST_STEP)], {}, stepOf(feature));
    const counted = graph.node("Round", [graph.node("Div", [graph.node("Sub", [values, least]), step])]);
    const within = graph.node("Clip", [counted, number(0), number(MOST)]);
    graph.node("Cast", [within], { to: UINT8 }, `${feature.role} bytes`);
    graph.output(minimumOf(feature), rangeDims(feature));
    graph.output(stepOf(feature), rangeDims(feature));
    graph.output(`${feature.role} bytes`, feature.blocks, "uint8");
  }
  return graph.file("embedder");
}

const tensor = (role: string, dtype: "float32" | "uint8", shape: readonly number[]): TensorSpec => ({
  role,
  name: role,
  dtype,
  shape: [...shape],
});

const specOf = (features: readonly Feature[]): GraphSpec => ({
  file: "embedder.onnx",
  inputs: features.map(({ role, dims }) => tensor(role, "float32", dims)),
  outputs: features.flatMap((feature) => [
    tensor(minimumOf(feature), "float32", rangeDims(feature)),
    tensor(stepOf(feature), "float32", rangeDims(feature)),
    tensor(`${feature.role} bytes`, "uint8", feature.blocks),
  ]),
});

export class Embedder {
  readonly #graph: Graph;
  readonly #features: readonly Feature[];

  private constructor(graph: Graph, features: readonly Feature[]) {
    this.#graph = graph;
    this.#features = features;
  }

  /** @returns undefined if the decoder takes other features than floats of fixed sizes */
  static async load(graphs: GraphSet, decoder: Graph): Promise<Embedder | undefined> {
    const rows = decoder.input("embedding").shape[2];
    if (typeof rows !== "number") return undefined;
    const features = ROLES.flatMap((role): Feature[] => {
      const { name, dtype, shape } = decoder.input(role);
      const dims = shape.filter((size) => typeof size === "number");
      if (dtype !== "float32" || dims.length < shape.length) return [];
      return [{ role, name, dims, blocks: blocksOf(dims, rows) }];
    });
    if (features.length < ROLES.length) return undefined;
    return new Embedder(await graphs.make(specOf(features), file(features)), features);
  }

  async embed(features: Held, usage: Usage): Promise<EmbeddedTensor[]> {
    const results = await this.#graph.run(usage, features.tensors);
    return this.#features.map((feature) => {
      const bytes = results[`${feature.role} bytes`]?.data;
      if (!(bytes instanceof Uint8Array))
        throw new Error(`The graph returned no bytes of "${feature.role}".`);
      return {
        name: feature.name,
        dims: feature.dims,
        blocks: feature.blocks,
        minimum: floats(results, minimumOf(feature)),
        step: floats(results, stepOf(feature)),
        bytes,
      };
    });
  }
}

import { join } from "node:path";
import { OnnxGraph } from "../../../inference-container/src/onnx/graph-writer.ts";

/** A graph for which rows may be joined, and a feed of so many rows. */
export interface JoinableGraph {
  readonly name: string;
  /** The file for runs of so many rows. */
  readonly file: (rows: number) => string | Uint8Array;
  readonly feeds: (
    rows: number,
  ) => Readonly<Record<string, { type: "float32" | "int64"; dims: readonly number[] }>>;
}

const TOKENS = 1_024;
const WIDTH = 384;
const BLOCKS = 6;
const CHANNELS = 64;
const SIDE = 128;

/** Small weights that differ from each other, so that no value overflows. */
const weights = (count: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i) / 20);

/** The layers that take most of a vision transformer's time: per block a widening and a narrowing product over all tokens. */
function transformer(rows: number): Uint8Array {
  const graph = new OnnxGraph();
  let value = graph.input("x", [rows, TOKENS, WIDTH]);
  for (let block = 0; block < BLOCKS; block += 1) {
    const widened = graph.node("MatMul", [
      value,
      graph.floats([WIDTH, 4 * WIDTH], weights(4 * WIDTH * WIDTH)),
    ]);
    const narrowed = graph.node("MatMul", [
      graph.node("Relu", [widened]),
      graph.floats([4 * WIDTH, WIDTH], weights(4 * WIDTH * WIDTH)),
    ]);
    value = graph.node("Tanh", [narrowed]);
  }
  graph.node("Relu", [value], {}, "y");
  graph.output("y", [rows, TOKENS, WIDTH]);
  return graph.file("transformer");
}

/** A convolutional network over a picture of 128 × 128 with 64 channels. */
function convolutions(rows: number): Uint8Array {
  const graph = new OnnxGraph();
  let value = graph.input("x", [rows, CHANNELS, SIDE, SIDE]);
  for (let block = 0; block < BLOCKS; block += 1) {
    const kernel = graph.floats([CHANNELS, CHANNELS, 3, 3], weights(9 * CHANNELS * CHANNELS));
    value = graph.node("Relu", [
      graph.node("Conv", [value, kernel], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }),
    ]);
  }
  graph.node("Relu", [value], {}, "y");
  graph.output("y", [rows, CHANNELS, SIDE, SIDE]);
  return graph.file("convolutions");
}

/** @param builtin the embedded model's folder, whose text encoder leaves the number of rows open */
export function joinableGraphs(builtin: string): readonly JoinableGraph[] {
  const phrase = { type: "int64", dims: [] } as const;
  return [
    {
      name: "a transformer of 1,024 tokens",
      file: transformer,
      feeds: (rows) => ({ x: { type: "float32", dims: [rows, TOKENS, WIDTH] } }),
    },
    {
      name: "convolutions over 128 × 128",
      file: convolutions,
      feeds: (rows) => ({ x: { type: "float32", dims: [rows, CHANNELS, SIDE, SIDE] } }),
    },
    {
      name: "the embedded model's text encoder, phrases of 16 tokens",
      file: () => join(builtin, "minilm.onnx"),
      feeds: (rows) =>
        Object.fromEntries(
          ["input_ids", "attention_mask", "token_type_ids"].map((name) => [
            name,
            { ...phrase, dims: [rows, 16] },
          ]),
        ),
    },
  ];
}

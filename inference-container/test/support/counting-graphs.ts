/** Graphs that show how a device ran them: each row of a result holds the number of rows in its batch. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TestGraph } from "./onnx.ts";

const float = (...shape: (number | string)[]) => ({ dtype: "float32", shape }) as const;

/** From "x" [batch, 2], or with a fixed number of rows: "same", which is "x", and "rows" [batch, 1]. */
export function countingGraph(batch: number | string = "batch"): Uint8Array {
  const graph = new TestGraph();
  const x = graph.input("x", float(batch, 2));
  graph.node("Identity", [x], {}, "same");
  graph.output("same", float(batch, 2));
  countRows(graph, x);
  graph.output("rows", float(batch, 1));
  return graph.file();
}

/** Like the counting graph, but fails for more than one row. */
export function failingGraph(): Uint8Array {
  const graph = new TestGraph();
  const x = graph.input("x", float("batch", 2));
  // It can lay out only two numbers as one row of two.
  const one = graph.node("Reshape", [x, graph.int64s([1, 2])]);
  graph.node("Identity", [one], {}, "same");
  graph.output("same", float("batch", 2));
  countRows(graph, one);
  graph.output("rows", float("batch", 1));
  return graph.file();
}

/** From "x" [batch, 2]: "found", the rows with a positive number, however many there are. */
export function findingGraph(): Uint8Array {
  const graph = new TestGraph();
  const x = graph.input("x", float("batch", 2));
  const most = graph.node("ReduceMax", [x], { axes: [1], keepdims: 0 });
  graph.node("Compress", [x, graph.node("Greater", [most, graph.floats([0])])], { axis: 0 }, "found");
  graph.output("found", float("found", 2));
  return graph.file();
}

function countRows(graph: TestGraph, value: string): void {
  const rows = graph.node("Gather", [graph.node("Shape", [value]), graph.int64s([0])]);
  const shape = graph.node("Concat", [rows, graph.int64s([1])], { axis: 0 });
  graph.node("Expand", [graph.cast(rows, "float32"), shape], {}, "rows");
}

/** Writes a graph into a folder and returns its path. */
export async function written(folder: string, name: string, graph: Uint8Array): Promise<string> {
  const path = join(folder, `${name}.onnx`);
  await writeFile(path, graph);
  return path;
}

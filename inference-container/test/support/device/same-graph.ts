/** A graph that returns its input. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TestGraph } from "./onnx.ts";

/** From "x" [any, 2]: "same", which is "x". */
export function sameGraph(): Uint8Array {
  const graph = new TestGraph();
  const form = { dtype: "float32", shape: ["rows", 2] } as const;
  graph.node("Identity", [graph.input("x", form)], {}, "same");
  graph.output("same", form);
  return graph.file();
}

/** Writes a graph into a folder and returns its path. */
export async function written(folder: string, name: string, graph: Uint8Array): Promise<string> {
  const path = join(folder, `${name}.onnx`);
  await writeFile(path, graph);
  return path;
}

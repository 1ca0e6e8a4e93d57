/** The graphs of one model: opened together and closed together. */
import { Graph, type GraphClock, type RuntimeOptions } from "./graph.ts";
import type { GraphSpec } from "./manifest.ts";

export class GraphSet {
  /** Counts the milliseconds of all graphs together. */
  readonly clock: GraphClock = { ms: 0 };
  readonly #folder: string;
  readonly #runtime: RuntimeOptions;
  readonly #graphs: Graph[] = [];

  constructor(folder: string, runtime: RuntimeOptions) {
    this.#folder = folder;
    this.#runtime = runtime;
  }

  /** @throws ModelFolderError when the graph is not what the manifest says. */
  async load(spec: GraphSpec): Promise<Graph> {
    const graph = await Graph.load(this.#folder, spec, this.#runtime, this.clock);
    this.#graphs.push(graph);
    return graph;
  }

  async close(): Promise<void> {
    for (const graph of this.#graphs.splice(0)) await graph.close();
  }
}

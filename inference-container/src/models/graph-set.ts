/** The graphs of one model: opened together on one device and closed together. */
import { Device } from "../device/device.ts";
import { Graph, type RuntimeOptions } from "./graph.ts";
import type { GraphSpec } from "./manifest.ts";

export class GraphSet {
  readonly #folder: string;
  readonly #runtime: RuntimeOptions;
  readonly #device = new Device();
  #joins = false;

  constructor(folder: string, runtime: RuntimeOptions) {
    this.#folder = folder;
    this.#runtime = runtime;
  }

  /** @throws ModelFolderError if the graph is not what the manifest says */
  async load(spec: GraphSpec): Promise<Graph> {
    const graph = await Graph.load(this.#device, this.#folder, spec, this.#runtime);
    this.#joins ||= graph.maxBatch > 1;
    return graph;
  }

  /** Whether the device joins runs of any of the graphs. */
  get joinsRuns(): boolean {
    return this.#joins;
  }

  /** Ends the device's thread after the runs already asked for. */
  close(): Promise<void> {
    return this.#device.close();
  }
}

/** The graphs of one model: opened together on one device and closed together. */
import { Device } from "../device/device.ts";
import type { SessionOptions } from "../device/messages.ts";
import { Graph } from "./graph.ts";
import type { NamedSignature } from "./loaded-model.ts";
import type { GraphSpec } from "./manifest.ts";

export class GraphSet {
  readonly #folder: string;
  readonly #runtime: SessionOptions;
  readonly #device = new Device();
  readonly #loaded: Graph[] = [];

  constructor(folder: string, runtime: SessionOptions) {
    this.#folder = folder;
    this.#runtime = runtime;
  }

  /** @throws ModelFolderError if the graph is not what the manifest says */
  async load(spec: GraphSpec): Promise<Graph> {
    const graph = await Graph.load(this.#device, this.#folder, spec, this.#runtime);
    this.#loaded.push(graph);
    return graph;
  }

  /** The tensors as the files have them: without optional ones that are missing, and with fixed sizes as numbers. */
  get signatures(): readonly NamedSignature[] {
    return this.#loaded.map(({ file, inputs, outputs }) => ({ name: file, inputs, outputs }));
  }

  /** Ends the device's thread after the runs already asked for. */
  close(): Promise<void> {
    return this.#device.close();
  }
}

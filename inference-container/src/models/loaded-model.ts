import type { Model, Picture } from "./model.ts";
import type { SessionOptions } from "../device/messages.ts";

/** A tensor of a graph or a server; a dimension of any size has a name. */
export interface NamedTensor {
  readonly role: string;
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly (number | string)[];
}

/** The tensors of a graph, by its file, or of a server's model. */
export interface NamedSignature {
  readonly name: string;
  readonly inputs: readonly NamedTensor[];
  readonly outputs: readonly NamedTensor[];
}

/** A model as its family opens it. */
export interface LoadedModel extends Model {
  /** Its graphs' inputs and outputs, in the order of loading. */
  readonly signatures: readonly NamedSignature[];
  /**
   * Runs its graphs in the shapes that requests have and the self-test lacks: a GPU's libraries prepare for each shape
   * at its first run. Absent if there are none, or the model is on a server.
   */
  warmUp?(picture: Picture): Promise<void>;
  /** Drops the remembered results for pictures and prompts. */
  forget(): void;
}

export interface LoadOptions extends SessionOptions {
  /** Budget in bytes for remembered image features; one picture takes about 17 MB with `builtin`, 117 MB with SAM 3. */
  readonly featureCacheBytes: number;
  /** Budget in bytes for remembered prompts. */
  readonly textCacheBytes: number;
  /** Time limit of a request to a model server; only the watchdog limits a graph's runs. */
  readonly requestTimeoutMs: number;
  /** The longest wait for a model server that is not ready yet. */
  readonly serverPatienceMs: number;
  /** The bearer token for a model server. */
  readonly serverToken?: string;
}

export const DEFAULT_LOAD_OPTIONS: LoadOptions = {
  provider: "cpu",
  device: 0,
  cpuNodes: true,
  threads: 0,
  featureCacheBytes: 256 * 1024 * 1024,
  textCacheBytes: 1024 * 1024,
  requestTimeoutMs: 108_000,
  serverPatienceMs: 0,
};

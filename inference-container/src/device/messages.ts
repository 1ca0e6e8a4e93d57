/** The messages between the engine's main thread and its device's thread. */
import type { Values } from "./values.ts";

/** A tensor that stays in the device's thread, and its number there. */
export interface HeldTensor {
  readonly held: number;
  /** Bytes that it takes there. */
  readonly size: number;
  /** A copy of its values, if the run requested one. */
  readonly copy?: Values;
}

/** A run's inputs or results, by the graph's names. */
export type Feeds = Readonly<Record<string, Values | HeldTensor>>;

/** A tensor from a graph's file; a dynamic dimension has a name. */
export interface Declared {
  readonly name: string;
  /** ONNX Runtime's name of the element type; "no tensor" for a sequence or a map. */
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export interface Signature {
  readonly inputs: readonly Declared[];
  readonly outputs: readonly Declared[];
}

/** The execution providers, by ONNX Runtime's names. */
export const PROVIDERS = ["cpu", "cuda", "tensorrt"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Options with which ONNX Runtime opens a graph. */
export interface SessionOptions {
  /** The execution provider. Loading fails without it; there is no fallback. */
  readonly provider: Provider;
  /** The GPU's number, from 0; ignored on the CPU. */
  readonly device: number;
  /** True if nodes without a kernel on the provider may run on the CPU. Otherwise loading fails. */
  readonly cpuNodes: boolean;
  /** Threads inside one operator; 0 lets ONNX Runtime take one per core. */
  readonly threads: number;
}

/** A graph to open. */
export interface GraphFile {
  /** The file's path, or the bytes of a graph that exists in memory only. */
  readonly path: string | Uint8Array;
  readonly options: SessionOptions;
}

/** One run of a graph. */
export interface Run {
  readonly id: number;
  /** The work that it belongs to; a lower number is older. */
  readonly work: number;
  /** True if the work's next run follows at once. */
  readonly followed: boolean;
  /** The id of the loaded graph. */
  readonly graph: number;
  readonly feeds: Feeds;
  readonly outputs: readonly string[];
  /** True if the results stay on the device. */
  readonly hold: boolean;
  /** Results that stay on the device and are also copied to the caller. */
  readonly copies?: readonly string[];
}

export type ToDevice =
  | { readonly type: "load"; readonly id: number; readonly file: GraphFile }
  | { readonly type: "run"; readonly run: Run }
  /** Removes a waiting run; a run that has started continues. */
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "release"; readonly held: readonly number[] }
  | { readonly type: "close" };

export type FromDevice =
  | { readonly type: "loaded"; readonly id: number; readonly signature: Signature }
  /** The run has the device now. */
  | { readonly type: "started"; readonly id: number }
  | { readonly type: "ran"; readonly id: number; readonly ms: number; readonly results: Feeds }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

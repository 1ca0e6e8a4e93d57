/** What crosses between the engine's own thread and the thread of its device. */
import type { Values } from "./values.ts";

/** A tensor that stays with the device, by the device's number for it. */
export interface HeldTensor {
  readonly held: number;
  /** What it takes there. */
  readonly size: number;
}

/** What goes into a run, or comes out of it, by the graph's names. */
export type Feeds = Readonly<Record<string, Values | HeldTensor>>;

/** A tensor as a graph's file declares it; a dimension that may have any size has a name. */
export interface Declared {
  readonly name: string;
  /** ONNX Runtime's word for the element type; "no tensor" for a sequence or a map. */
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export interface Signature {
  readonly inputs: readonly Declared[];
  readonly outputs: readonly Declared[];
}

/** How ONNX Runtime opens a graph. */
export interface SessionOptions {
  /** ONNX Runtime's name of the execution provider; it is used or loading fails, there is no falling back. */
  readonly provider: "cpu" | "cuda";
  /** Which of the machine's GPUs, from 0; means nothing to the CPU. */
  readonly device: number;
  /** Threads inside one operator; 0 lets ONNX Runtime take one for each core. */
  readonly threads: number;
}

export interface GraphFile {
  readonly path: string;
  readonly options: SessionOptions;
  /** Runs are joined up to so many rows; 1 runs each alone. */
  readonly maxBatch: number;
  /** How long a run may wait for others to be joined with. */
  readonly batchDelayMs: number;
}

export interface Run {
  readonly id: number;
  /** What it is part of: the lower, the older. */
  readonly work: number;
  /** Whether the work's next run follows at once. */
  readonly followed: boolean;
  /** The id under which the graph was loaded. */
  readonly graph: number;
  readonly feeds: Feeds;
  readonly outputs: readonly string[];
  /** Whether the results stay with the device. */
  readonly hold: boolean;
}

export type ToDevice =
  | { readonly type: "load"; readonly id: number; readonly file: GraphFile }
  | { readonly type: "run"; readonly run: Run }
  /** Takes a run out that waits; one that has the device ends as it would. */
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "release"; readonly held: readonly number[] }
  | { readonly type: "close" };

export type FromDevice =
  | { readonly type: "loaded"; readonly id: number; readonly signature: Signature }
  /** These runs have the device from now on. */
  | { readonly type: "started"; readonly ids: readonly number[] }
  /** `ms` is the run's share of the time that it had with those it was joined with. */
  | { readonly type: "ran"; readonly id: number; readonly ms: number; readonly results: Feeds }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

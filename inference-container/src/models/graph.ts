/** An ONNX graph whose tensors are addressed by the manifest's roles. */
import { join } from "node:path";
import { InferenceSession, type Tensor } from "onnxruntime-node";
import { ModelFolderError } from "./folder-error.ts";
import type { GraphSpec, TensorSpec } from "./manifest.ts";

/** Adds up the milliseconds that graphs ran. */
export interface GraphClock {
  ms: number;
}

export interface RuntimeOptions {
  /** ONNX Runtime's name of the execution provider; it is used or loading fails, there is no falling back. */
  readonly provider: "cpu" | "cuda";
  /** Threads inside one operator; 0 lets ONNX Runtime take one for each core. */
  readonly threads: number;
}

export type Tensors = Readonly<Record<string, Tensor>>;

export class Graph {
  readonly #session: InferenceSession;
  readonly #spec: GraphSpec;
  readonly #clock: GraphClock;

  private constructor(session: InferenceSession, spec: GraphSpec, clock: GraphClock) {
    this.#session = session;
    this.#spec = spec;
    this.#clock = clock;
  }

  /**
   * Loads a graph and compares its tensors with the manifest's.
   * @throws ModelFolderError when the file is no graph that ONNX Runtime can run, or a tensor's name, type or shape differs.
   */
  static async load(
    folder: string,
    spec: GraphSpec,
    runtime: RuntimeOptions,
    clock: GraphClock,
  ): Promise<Graph> {
    const session = await createSession(join(folder, spec.file), spec.file, runtime);
    for (const [kind, expected, found] of [
      ["input", spec.inputs, session.inputMetadata],
      ["output", spec.outputs, session.outputMetadata],
    ] as const)
      checkTensors(spec.file, kind, expected, found);
    return new Graph(session, spec, clock);
  }

  /** Runs the graph once; feeds and results are keyed by role. */
  async run(feeds: Tensors): Promise<Tensors> {
    const byName = this.#spec.inputs.map(({ role, name }) => [name, feeds[role]] as const);
    const started = performance.now();
    const results = await this.#session.run(
      Object.fromEntries(byName.filter((entry): entry is [string, Tensor] => entry[1] !== undefined)),
    );
    this.#clock.ms += performance.now() - started;
    return Object.fromEntries(
      this.#spec.outputs.flatMap(({ role, name }) => {
        const tensor = results[name];
        return tensor === undefined ? [] : [[role, tensor] as const];
      }),
    );
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

/** The float values of a result. @throws Error when the graph gave no float tensor of that role. */
export function floats(tensors: Tensors, role: string): Float32Array {
  const data = tensors[role]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`The graph gave no float32 values for "${role}".`);
  return data;
}

async function createSession(
  path: string,
  file: string,
  { provider, threads }: RuntimeOptions,
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: [provider],
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      intraOpNumThreads: threads,
      // Planning memory for whole runs in advance raises the encoder's peak by more than half.
      enableMemPattern: false,
      // Idle threads that spin take the cores from picture decoding and mask encoding.
      extra: { session: { intra_op: { allow_spinning: "0" } } },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelFolderError(`The graph ${file} can't be loaded on the provider "${provider}": ${reason}`);
  }
}

/** Compares what a graph declares with what the manifest says; named dimensions of either side match any size. */
function checkTensors(
  file: string,
  kind: "input" | "output",
  expected: readonly TensorSpec[],
  found: readonly InferenceSession.ValueMetadata[],
): void {
  for (const spec of expected) {
    const tensor = found.find(({ name }) => name === spec.name);
    if (tensor === undefined)
      throw new ModelFolderError(
        `The graph ${file} has no ${kind} "${spec.name}" (the manifest's "${spec.role}"); its ${kind}s are ${found
          .map(({ name }) => `"${name}"`)
          .join(", ")}.`,
      );
    const type = tensor.isTensor ? tensor.type : "no tensor";
    const shape = tensor.isTensor ? tensor.shape : [];
    if (type !== spec.dtype || !sameShape(shape, spec.shape))
      throw new ModelFolderError(
        `The ${kind} "${spec.name}" of ${file} is ${type} [${shape.join(", ")}]; the manifest says ${spec.dtype} [${spec.shape.join(", ")}].`,
      );
  }
  const extra = found.find(({ name }) => !expected.some((spec) => spec.name === name));
  if (extra !== undefined && kind === "input")
    throw new ModelFolderError(
      `The graph ${file} wants an input "${extra.name}" that the manifest doesn't name.`,
    );
}

function sameShape(found: readonly (number | string)[], expected: readonly (number | string)[]): boolean {
  return (
    found.length === expected.length &&
    found.every(
      (size, i) => typeof size === "string" || typeof expected[i] === "string" || size === expected[i],
    )
  );
}

/** An ONNX graph whose tensors are addressed by the manifest's roles. */
import { join } from "node:path";
import { InferenceSession, type Tensor } from "onnxruntime-node";
import { ModelFolderError } from "./folder-error.ts";
import type { GraphSpec, TensorSpec } from "./manifest.ts";
import { asFeed, floatValues } from "./tensors.ts";

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
  /** The manifest's tensors without the optional ones that the file lacks, and with the sizes that it fixes. */
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  readonly file: string;
  readonly #session: InferenceSession;
  readonly #clock: GraphClock;

  private constructor(session: InferenceSession, spec: GraphSpec, clock: GraphClock) {
    this.file = spec.file;
    this.inputs = presentTensors(spec.inputs, session.inputMetadata);
    this.outputs = presentTensors(spec.outputs, session.outputMetadata);
    this.#session = session;
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

  /** Runs the graph once; feeds and results are keyed by role. `wanted` leaves other results where they are. */
  async run(feeds: Tensors, wanted: (output: TensorSpec) => boolean = () => true): Promise<Tensors> {
    const outputs = this.outputs.filter(wanted);
    const named = Object.fromEntries(
      this.inputs.flatMap(({ role, name }) => {
        const tensor = feeds[role];
        return tensor === undefined ? [] : [[name, asFeed(tensor)] as const];
      }),
    );
    const started = performance.now();
    const results = await this.#session.run(
      named,
      outputs.map(({ name }) => name),
    );
    this.#clock.ms += performance.now() - started;
    return Object.fromEntries(
      outputs.flatMap(({ role, name }) => {
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
  const values = floatValues(tensors[role]);
  if (values === undefined) throw new Error(`The graph gave no float values for "${role}".`);
  return values;
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
    if (tensor === undefined && spec.optional === true) continue;
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

/** The tensors that a graph has, with the graph's size for each dimension that the manifest only names. */
function presentTensors(
  specs: readonly TensorSpec[],
  found: readonly InferenceSession.ValueMetadata[],
): TensorSpec[] {
  return specs.flatMap((spec) => {
    const tensor = found.find(({ name }) => name === spec.name);
    if (tensor?.isTensor !== true) return [];
    const fixed = spec.shape.map((size, i) => (typeof size === "string" ? (tensor.shape[i] ?? size) : size));
    return [{ ...spec, shape: fixed }];
  });
}

function sameShape(found: readonly (number | string)[], expected: readonly (number | string)[]): boolean {
  return (
    found.length === expected.length &&
    found.every(
      (size, i) => typeof size === "string" || typeof expected[i] === "string" || size === expected[i],
    )
  );
}

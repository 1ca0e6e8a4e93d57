/** An ONNX graph that addresses its tensors by the manifest's roles. */
import { join } from "node:path";
import type { Tensor } from "../onnx/runtime.ts";
import { messageOf } from "../errors.ts";
import { Device } from "../device/device.ts";
import { Held } from "../device/held.ts";
import type { Declared, Feeds, HeldTensor, SessionOptions, Signature } from "../device/messages.ts";
import type { Usage } from "../device/usage.ts";
import { fromValues, toValues } from "../device/values.ts";
import { ModelFolderError } from "./errors.ts";
import type { GraphSpec, TensorSpec } from "./manifest.ts";
import { floatValues } from "./tensors.ts";
import type { NamedSignature } from "./loaded-model.ts";

export type Tensors = Readonly<Record<string, Tensor>>;

/** A graph's inputs: tensors, and tensors that stay on the device. */
export type GraphFeeds = Readonly<Record<string, Tensor | HeldTensor>>;

export interface RunOptions {
  /** Selects the wanted results; the run returns no others. */
  readonly wanted?: (output: TensorSpec) => boolean;
  /** Roles of feeds that the caller no longer reads: they are moved to the device, not copied. */
  readonly moved?: readonly string[];
  /** Roles of results that stay on the device and are also copied. */
  readonly copied?: readonly string[];
  /** The next run of the same work follows at once: runs of other work let it go first. */
  readonly followed?: boolean;
}

export class Graph {
  /** The manifest's tensors, with the sizes that the file fixes. */
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  readonly file: string;
  readonly #device: Device;
  readonly #id: number;

  private constructor(device: Device, id: number, spec: GraphSpec, signature: Signature) {
    this.file = spec.file;
    this.inputs = withSizes(spec.inputs, signature.inputs);
    this.outputs = withSizes(spec.outputs, signature.outputs);
    this.#device = device;
    this.#id = id;
  }

  /**
   * Loads a graph and compares its tensors with the manifest's.
   * @param bytes the bytes of a graph that is not a file of the folder
   * @throws ModelFolderError if ONNX Runtime can't run the file, or a tensor's name, type or shape differs
   */
  static async load(
    device: Device,
    folder: string,
    spec: GraphSpec,
    { provider, device: place, threads, cpuNodes }: SessionOptions,
    bytes?: Uint8Array,
  ): Promise<Graph> {
    const options = { provider, device: place, threads, cpuNodes };
    const file = { path: bytes ?? join(folder, spec.file), options };
    const { id, signature } = await device.load(file).catch((error: unknown) => {
      const reason = messageOf(error);
      throw new ModelFolderError(
        `The graph ${spec.file} can't be loaded on the provider "${provider}": ${reason}`,
      );
    });
    checkTensors(spec.file, "input", spec.inputs, signature.inputs);
    checkTensors(spec.file, "output", spec.outputs, signature.outputs);
    return new Graph(device, id, spec, signature);
  }

  /** The input of a role. @throws Error if there is none */
  input(role: string): TensorSpec {
    const spec = this.inputs.find((input) => input.role === role);
    if (spec === undefined) throw new Error(`${this.file} has no input "${role}".`);
    return spec;
  }

  /** Runs the graph at its turn; feeds and results are keyed by role. */
  async run(usage: Usage, feeds: GraphFeeds, options: RunOptions = {}): Promise<Tensors> {
    const results = await this.#run(usage, feeds, options, false);
    return this.#byRole(results, (values) => ("held" in values ? undefined : fromValues(values)));
  }

  /** Like `run`, but the results stay on the device for later runs. */
  async hold(usage: Usage, feeds: GraphFeeds, options: RunOptions = {}): Promise<Held> {
    const results = await this.#run(usage, feeds, options, true);
    return new Held(
      this.#device,
      this.#byRole(results, (values) => ("held" in values ? values : undefined)),
    );
  }

  #run(
    usage: Usage,
    feeds: GraphFeeds,
    { wanted, moved = [], copied = [], followed = false }: RunOptions,
    hold: boolean,
  ): Promise<Feeds> {
    const buffers: ArrayBuffer[] = [];
    const named: [string, Feeds[string]][] = [];
    for (const { role, name } of this.inputs) {
      const feed = feeds[role];
      if (feed === undefined) continue;
      // Without the copy, which the device does not need.
      const values = "held" in feed ? { held: feed.held, size: feed.size } : toValues(feed);
      if ("bytes" in values && moved.includes(role)) buffers.push(values.bytes.buffer);
      named.push([name, values]);
    }
    const outputs = this.outputs.filter(wanted ?? (() => true)).map(({ name }) => name);
    const copies = this.outputs.filter(({ role }) => copied.includes(role)).map(({ name }) => name);
    return this.#device.run(
      { graph: this.#id, feeds: Object.fromEntries(named), outputs, hold, copies, followed },
      usage,
      buffers,
    );
  }

  #byRole<T>(results: Feeds, read: (values: Feeds[string]) => T | undefined): Record<string, T> {
    return Object.fromEntries(
      this.outputs.flatMap(({ role, name }) => {
        const values = results[name];
        const value = values === undefined ? undefined : read(values);
        return value === undefined ? [] : [[role, value] as const];
      }),
    );
  }
}

/** The float values of a result. @throws Error if the graph returned no float tensor of that role */
export function floats(tensors: Tensors, role: string): Float32Array {
  const values = floatValues(tensors[role]);
  if (values === undefined) throw new Error(`The graph returned no float values for "${role}".`);
  return values;
}

/** The float values of which a run was asked for a copy. @throws Error if there are none of that role */
export function copiedFloats(
  { tensors }: Held,
  role: string,
): Pick<Tensor, "dims"> & { values: Float32Array } {
  const copy = tensors[role]?.copy;
  const values = copy === undefined ? undefined : floatValues(fromValues(copy));
  if (copy === undefined || values === undefined)
    throw new Error(`The graph returned no float values to copy for "${role}".`);
  return { dims: copy.dims, values };
}

/** Compares a graph's tensors with the manifest; named dimensions on either side match any size. */
function checkTensors(
  file: string,
  kind: "input" | "output",
  expected: readonly TensorSpec[],
  found: readonly Declared[],
): void {
  for (const spec of expected) {
    const tensor = found.find(({ name }) => name === spec.name);
    if (tensor === undefined)
      throw new ModelFolderError(
        `The graph ${file} has no ${kind} "${spec.name}" (the manifest's "${spec.role}"); its ${kind}s are ${found
          .map(({ name }) => `"${name}"`)
          .join(", ")}.`,
      );
    const { type, shape } = tensor;
    if (type !== spec.dtype || !sameShape(shape, spec.shape))
      throw new ModelFolderError(
        `The ${kind} "${spec.name}" of ${file} is ${type} [${shape.join(", ")}]; the manifest says ${spec.dtype} [${spec.shape.join(", ")}].`,
      );
  }
  const extra = found.find(({ name }) => !expected.some((spec) => spec.name === name));
  if (extra !== undefined && kind === "input")
    throw new ModelFolderError(
      `The graph ${file} requires an input "${extra.name}" that the manifest doesn't name.`,
    );
}

/** The manifest's tensors, with the graph's size for each dimension that the manifest only names. */
function withSizes(specs: readonly TensorSpec[], found: readonly Declared[]): TensorSpec[] {
  return specs.map((spec) => {
    const tensor = found.find(({ name }) => name === spec.name);
    return {
      ...spec,
      shape: spec.shape.map((size, i) => (typeof size === "string" ? (tensor?.shape[i] ?? size) : size)),
    };
  });
}

/** True if no sizes of two shapes differ; a named dimension matches any size. */
export function sameShape(
  found: readonly (number | string)[],
  expected: readonly (number | string)[],
): boolean {
  return (
    found.length === expected.length &&
    found.every(
      (size, i) => typeof size === "string" || typeof expected[i] === "string" || size === expected[i],
    )
  );
}

export class GraphSet {
  readonly #folder: string;
  readonly #runtime: SessionOptions;
  readonly #device = new Device();
  readonly #loaded: Graph[] = [];

  constructor(folder: string, runtime: SessionOptions) {
    this.#folder = folder;
    this.#runtime = runtime;
  }

  /** @throws ModelFolderError if the graph contradicts the manifest */
  async load(spec: GraphSpec): Promise<Graph> {
    const graph = await Graph.load(this.#device, this.#folder, spec, this.#runtime);
    this.#loaded.push(graph);
    return graph;
  }

  /** Loads a graph that the service builds itself. */
  make(spec: GraphSpec, bytes: Uint8Array): Promise<Graph> {
    return Graph.load(this.#device, this.#folder, spec, this.#runtime, bytes);
  }

  /** The tensors that the files have, with fixed sizes as numbers. */
  get signatures(): readonly NamedSignature[] {
    return this.#loaded.map(({ file, inputs, outputs }) => ({ name: file, inputs, outputs }));
  }

  /** Ends the device's thread after the pending runs. */
  close(): Promise<void> {
    return this.#device.close();
  }
}

/** The roles by which an adapter addresses a graph's tensors. */
export interface Roles {
  readonly inputs: readonly string[];
  /** Inputs that the graph may lack. */
  readonly optional?: readonly string[];
  readonly outputs?: readonly string[];
}

/**
 * @throws ModelFolderError naming a role that the manifest's graph lacks, or an input role that its family does not
 * know
 */
export function checkRoles(
  { file, inputs, outputs }: Graph,
  family: string,
  { inputs: needed, optional = [], outputs: read = [] }: Roles,
): void {
  for (const [kind, tensors, roles] of [
    ["input", inputs, needed],
    ["output", outputs, read],
  ] as const)
    for (const role of roles)
      if (!tensors.some((tensor) => tensor.role === role))
        throw new ModelFolderError(`No ${kind} of ${file} has the role "${role}" in the manifest.`);
  const odd = inputs.find(({ role }) => !needed.includes(role) && !optional.includes(role));
  if (odd !== undefined)
    throw new ModelFolderError(
      `The input "${odd.name}" of ${file} has the role "${odd.role}" in the manifest, which the family ${family} doesn't know for this graph.`,
    );
}

/** Small ONNX graphs for tests, with tensors of any type, named dimensions and weights in a separate file. */
import {
  type Attribute,
  bytes,
  type Field,
  integer,
  join,
  message,
  OnnxGraph,
  text,
} from "../../../src/onnx/graph-writer.ts";
import type { TensorForm } from "../../../src/models/tensors.ts";

/** `TensorProto.DataType` of ONNX. */
const ONNX_TYPES = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10 } as const;

export class TestGraph {
  readonly #graph = new OnnxGraph();
  /** Inputs, outputs and constants that the graph writer itself can't express. */
  readonly #more: Field[] = [];

  input(name: string, form: TensorForm): string {
    this.#more.push(message(11, valueInfo(name, form)));
    return name;
  }

  output(name: string, form: TensorForm): void {
    this.#more.push(message(12, valueInfo(name, form)));
  }

  /** Adds a node with one output and returns the output's name. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output?: string,
  ): string {
    return this.#graph.node(operator, inputs, attributes, output);
  }

  cast(value: string, to: keyof typeof ONNX_TYPES, output?: string): string {
    return this.node("Cast", [value], { to: ONNX_TYPES[to] }, output);
  }

  floats(values: readonly number[], shape: readonly number[] = [values.length]): string {
    return this.#graph.floats(shape, Float32Array.from(values));
  }

  int64s(values: readonly number[]): string {
    return this.#graph.int64s(values);
  }

  /** A float constant whose values are the first bytes of another file, `location`. */
  storedFloats(name: string, shape: readonly number[], location: string): string {
    const entry = message(13, [text(1, "location"), text(2, location)]);
    const dims = shape.map((size) => integer(1, size));
    const external = integer(14, 1);
    this.#more.push(message(5, [...dims, integer(2, ONNX_TYPES.float32), text(8, name), entry, external]));
    return name;
  }

  /** The `.onnx` file. A message's field that comes twice is merged: the second graph adds to the first. */
  file(): Uint8Array {
    return join([this.#graph.file("test"), bytes(7, join(this.#more))]);
  }
}

function valueInfo(name: string, { dtype, shape }: TensorForm): Field[] {
  const dims = shape.map((size) => message(1, [typeof size === "number" ? integer(1, size) : text(2, size)]));
  return [text(1, name), message(2, [message(1, [integer(1, ONNX_TYPES[dtype]), message(2, dims)])])];
}

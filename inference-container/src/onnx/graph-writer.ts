/** Builds an ONNX model file; message and field numbers are those of the ONNX project's `onnx.proto`. */

const IR_VERSION = 8;
const OPSET = 13;
const FLOAT = 1;
const INT64 = 7;

/** Numbers become INT or INTS attributes, strings STRING. */
export type Attribute = number | readonly number[] | string;

/** A tensor's sizes; one of any size has a name. */
type Shape = readonly (number | string)[];

/** A graph under construction: values are named by strings, nodes keep the order in which they are added. */
export class OnnxGraph {
  readonly #nodes: Field[] = [];
  readonly #initializers: Field[] = [];
  readonly #inputs: Field[] = [];
  readonly #outputs: Field[] = [];
  #count = 0;

  /** Declares a float input and returns its name; a size of the shape that is only named may be any. */
  input(name: string, shape: Shape): string {
    this.#inputs.push(message(11, valueInfo(name, shape)));
    return name;
  }

  /** Declares the value `name` as a float output. */
  output(name: string, shape: Shape): void {
    this.#outputs.push(message(12, valueInfo(name, shape)));
  }

  /** Adds a node and returns its output's name: the first, if it is given `more`. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = this.#fresh(operator),
    ...more: readonly string[]
  ): string {
    const fields = [
      ...inputs.map((name) => text(1, name)),
      ...[output, ...more].map((name) => text(2, name)),
      text(4, operator),
      ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
    ];
    this.#nodes.push(message(1, fields));
    return output;
  }

  /** Adds a float constant and returns its name. */
  floats(shape: readonly number[], values: Float32Array<ArrayBuffer>): string {
    return this.#constant(shape, FLOAT, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Adds an int64 vector (a shape, sizes) and returns its name. */
  int64s(values: readonly number[]): string {
    return this.#constant([values.length], INT64, new Uint8Array(BigInt64Array.from(values, BigInt).buffer));
  }

  /** The bytes of the `.onnx` file. */
  file(name: string): Uint8Array {
    const graph = [...this.#nodes, text(2, name), ...this.#initializers, ...this.#inputs, ...this.#outputs];
    return join([integer(1, IR_VERSION), message(7, graph), message(8, [text(1, ""), integer(2, OPSET)])]);
  }

  #constant(shape: readonly number[], type: number, data: Uint8Array): string {
    const name = this.#fresh("constant");
    const dims = shape.map((size) => integer(1, size));
    this.#initializers.push(message(5, [...dims, integer(2, type), text(8, name), bytes(9, data)]));
    return name;
  }

  #fresh(kind: string): string {
    this.#count += 1;
    return `${kind}_${this.#count}`;
  }
}

function valueInfo(name: string, shape: Shape): Field[] {
  const dims = shape.map((size) => message(1, [typeof size === "string" ? text(2, size) : integer(1, size)]));
  return [text(1, name), message(2, [message(1, [integer(1, FLOAT), message(2, dims)])])];
}

function attribute(name: string, value: Attribute): Field[] {
  if (typeof value === "number") return [text(1, name), integer(3, value), integer(20, 2)];
  if (typeof value === "string") return [text(1, name), text(4, value), integer(20, 3)];
  return [text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)];
}

/** An encoded field of protocol buffers' wire format; a message is the concatenation of its fields. */
export type Field = Uint8Array;

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;

/** An int64, enum or bool field; `value` is a non-negative safe integer or a small negative one. */
export function integer(field: number, value: number): Field {
  return Uint8Array.from([
    ...varint(BigInt(field * 8 + WIRE_VARINT)),
    ...varint(BigInt.asUintN(64, BigInt(value))),
  ]);
}

export function bytes(field: number, value: Uint8Array): Field {
  const head = [...varint(BigInt(field * 8 + WIRE_BYTES)), ...varint(BigInt(value.length))];
  return join([Uint8Array.from(head), value]);
}

export function text(field: number, value: string): Field {
  return bytes(field, new TextEncoder().encode(value));
}

export function message(field: number, fields: readonly Field[]): Field {
  return bytes(field, join(fields));
}

/** Concatenates encoded fields into a message's body. */
export const join = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => Buffer.concat(parts);

function varint(value: bigint): number[] {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
  digits.push(Number(rest));
  return digits;
}

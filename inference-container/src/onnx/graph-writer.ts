/** Builds an ONNX model file; message and field numbers are those of the ONNX project's `onnx.proto`. */

/** The versions of ONNX's operators that graphs use, each with the version of the file format that came with it. */
const IR_VERSIONS = { 13: 8, 20: 9 } as const;
/** `TensorProto.DataType` of 32-bit floats, and `AttributeProto.AttributeType` of one. */
export const FLOAT = 1;
export const UINT8 = 2;
const INT64 = 7;
const ELEMENTS = { float32: FLOAT, uint8: UINT8 } as const;

/** Numbers become INT or INTS attributes, strings STRING; FLOAT and GRAPH are marked. */
export type Attribute =
  | number
  | readonly number[]
  | string
  | { readonly float: number }
  | { readonly graph: readonly Field[] };

/** A tensor's sizes; a dimension of any size has a name. */
type Shape = readonly (number | string)[];

/** A graph under construction: values are named by strings, nodes keep the order in which they are added. */
export class OnnxGraph {
  readonly #nodes: Field[] = [];
  readonly #initializers: Field[] = [];
  readonly #inputs: Field[] = [];
  readonly #outputs: Field[] = [];
  readonly #opset: keyof typeof IR_VERSIONS;
  readonly #prefix: string;
  #count = 0;

  /** @param prefix of the names that the graph makes, for two graphs in one file */
  constructor(opset: keyof typeof IR_VERSIONS = 13, prefix = "") {
    this.#opset = opset;
    this.#prefix = prefix;
  }

  /** Declares an input and returns its name; a named dimension may have any size. */
  input(name: string, shape: Shape, element: keyof typeof ELEMENTS = "float32"): string {
    this.#inputs.push(message(11, valueInfo(name, shape, ELEMENTS[element])));
    return name;
  }

  /** Declares the value `name` as an output. */
  output(name: string, shape: Shape, element: keyof typeof ELEMENTS = "float32"): void {
    this.#outputs.push(message(12, valueInfo(name, shape, ELEMENTS[element])));
  }

  /** Adds a node and returns its output's name: the first, if it is given `more`. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = this.#fresh(operator),
    ...more: readonly string[]
  ): string {
    this.#nodes.push(node(operator, inputs, [output, ...more], attributes));
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

  /**
   * The nodes that `build` adds, as a branch of the operator If; its constants are the whole graph's.
   * @param build returns the branch's result @param shape the result's
   */
  branch(build: () => string, shape: Shape): Attribute {
    const outside = this.#nodes.length;
    const result = build();
    const nodes = this.#nodes.splice(outside);
    return { graph: [...nodes, text(2, result), message(12, valueInfo(result, shape))] };
  }

  /** A graph that continues another one, or precedes it: its file and these bytes, in either order, are a file with both. */
  addition(): Uint8Array {
    return message(7, [...this.#nodes, ...this.#initializers, ...this.#inputs, ...this.#outputs]);
  }

  /** The bytes of the `.onnx` file. */
  file(name: string): Uint8Array {
    const graph = [...this.#nodes, text(2, name), ...this.#initializers, ...this.#inputs, ...this.#outputs];
    const operators = message(8, [text(1, ""), integer(2, this.#opset)]);
    return join([integer(1, IR_VERSIONS[this.#opset]), message(7, graph), operators]);
  }

  #constant(shape: readonly number[], type: number, data: Uint8Array): string {
    const name = this.#fresh("constant");
    this.#initializers.push(constant(name, shape, type, data));
    return name;
  }

  #fresh(kind: string): string {
    this.#count += 1;
    return `${this.#prefix}${kind}_${this.#count}`;
  }
}

/** A node as a graph's field. */
export function node(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
): Field {
  return message(1, [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
  ]);
}

/** A constant as a graph's field. @param type `TensorProto.DataType` of ONNX @param data little-endian, row by row */
export function constant(name: string, shape: readonly number[], type: number, data: Uint8Array): Field {
  const dims = shape.map((size) => integer(1, size));
  return message(5, [...dims, integer(2, type), text(8, name), bytes(9, data)]);
}

function valueInfo(name: string, shape: Shape, element: number = FLOAT): Field[] {
  const dims = shape.map((size) => message(1, [typeof size === "string" ? text(2, size) : integer(1, size)]));
  return [text(1, name), message(2, [message(1, [integer(1, element), message(2, dims)])])];
}

function attribute(name: string, value: Attribute): Field[] {
  if (typeof value === "number") return [text(1, name), integer(3, value), integer(20, 2)];
  if (typeof value === "string") return [text(1, name), text(4, value), integer(20, 3)];
  if ("graph" in value) return [text(1, name), message(6, value.graph), integer(20, 5)];
  if ("float" in value) return [text(1, name), float(2, value.float), integer(20, 1)];
  return [text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)];
}

/** An encoded field of protocol buffers' wire format; a message is the concatenation of its fields. */
export type Field = Uint8Array;

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;
const WIRE_32 = 5;

/** An int64, enum or bool field; `value` is a non-negative safe integer or a small negative one. */
export function integer(field: number, value: number): Field {
  return Uint8Array.from([
    ...varint(BigInt(field * 8 + WIRE_VARINT)),
    ...varint(BigInt.asUintN(64, BigInt(value))),
  ]);
}

/** A float field. */
function float(field: number, value: number): Field {
  const encoded = Buffer.alloc(4);
  encoded.writeFloatLE(value);
  return join([Uint8Array.from(varint(BigInt(field * 8 + WIRE_32))), encoded]);
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

/**
 * Reads a TensorFlow Lite graph into plain objects.
 * Field numbers and operator codes are those of TensorFlow's `schema.fbs` (tensorflow/compiler/mlir/lite/schema).
 */
import { Table } from "./tflite-table.ts";

const OPERATOR_NAMES = new Map([
  [0, "ADD"],
  [2, "CONCATENATION"],
  [3, "CONV_2D"],
  [4, "DEPTHWISE_CONV_2D"],
  [6, "DEQUANTIZE"],
  [14, "LOGISTIC"],
  [17, "MAX_POOL_2D"],
  [22, "RESHAPE"],
  [97, "RESIZE_NEAREST_NEIGHBOR"],
  [114, "QUANTIZE"],
]);
const CUSTOM = 32;
const ELEMENT_TYPES = new Map([
  [0, "float32"],
  [2, "int32"],
  [3, "uint8"],
  [9, "int8"],
] as const);

type ElementType = "float32" | "int32" | "uint8" | "int8";

export interface TfliteTensor {
  readonly name: string;
  /** As stored: pictures are [batch, height, width, channels]. */
  readonly shape: readonly number[];
  readonly type: ElementType;
  /** The bytes of a constant; empty for a computed tensor. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** real = scale × (stored − zeroPoint); one value, or one per index of `axis`. */
  readonly scales: readonly number[];
  readonly zeroPoints: readonly number[];
  readonly axis: number;
}

export interface TfliteOperator {
  /** A name from the schema's BuiltinOperator, or a custom operator's own name. */
  readonly kind: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** The operator's options table; its fields depend on `kind`. */
  readonly options: Table | undefined;
}

export interface TfliteGraph {
  readonly tensors: readonly TfliteTensor[];
  readonly operators: readonly TfliteOperator[];
  readonly inputs: readonly number[];
}

/**
 * Parses the first subgraph of a `.tflite` file.
 * @throws Error naming an operator or element type that this reader doesn't know
 */
export function readTflite(bytes: Uint8Array): TfliteGraph {
  const model = Table.root(bytes);
  const codes = model.children(1).map(operatorKind);
  const buffers = model.children(4);
  const subgraph = model.children(2)[0];
  if (subgraph === undefined) throw new Error("The TensorFlow Lite file contains no graph.");
  return {
    tensors: subgraph.children(0).map((table) => readTensor(table, buffers)),
    inputs: subgraph.int32s(1),
    operators: subgraph.children(3).map((table) => ({
      kind: codes[table.int32(0)] ?? "unlisted operator",
      inputs: table.int32s(1),
      outputs: table.int32s(2),
      options: table.child(4),
    })),
  };
}

function operatorKind(code: Table): string {
  // Codes above 127 do not fit the older byte field, so the schema takes the larger of the two.
  const builtin = Math.max(code.int8(0), code.int32(3));
  if (builtin === CUSTOM) return code.text(1);
  const name = OPERATOR_NAMES.get(builtin);
  if (name === undefined) throw new Error(`The TensorFlow Lite operator ${builtin} is not supported.`);
  return name;
}

function readTensor(table: Table, buffers: readonly Table[]): TfliteTensor {
  const type = (ELEMENT_TYPES as ReadonlyMap<number, ElementType>).get(table.int8(1));
  const name = table.text(3);
  if (type === undefined)
    throw new Error(
      `The TensorFlow Lite tensor ${name} has element type ${table.int8(1)}, which is not supported.`,
    );
  const quantization = table.child(4);
  return {
    name,
    type,
    shape: table.int32s(0),
    data: buffers[table.int32(2)]?.bytes(0) ?? new Uint8Array(0),
    scales: quantization?.float32s(2) ?? [],
    zeroPoints: quantization?.int64s(3) ?? [],
    axis: quantization?.int32(6) ?? 0,
  };
}

/** The values of a float constant. */
export function constantFloats(tensor: TfliteTensor): Float32Array<ArrayBuffer> {
  if (tensor.type !== "float32") throw new Error(`The constant ${tensor.name} should hold floats.`);
  return new Float32Array(tensor.data.buffer);
}

/** real = scale × (stored − zero point), per channel of the tensor's quantized axis if it has several scales. */
export function dequantised(tensor: TfliteTensor): Float32Array<ArrayBuffer> {
  const stored = storedIntegers(tensor);
  const inner = tensor.shape.slice(tensor.axis + 1).reduce((product, size) => product * size, 1);
  const channels = tensor.scales.length;
  return Float32Array.from(stored, (value, i) => {
    const channel = Math.floor(i / inner) % channels;
    return (tensor.scales[channel] ?? Number.NaN) * (value - (tensor.zeroPoints[channel] ?? 0));
  });
}

/**
 * A convolution's weights in ONNX's layout: [out, height, width, in] becomes [out, in, height, width]; a depthwise [1,
 * height, width, out] becomes [out, 1, height, width].
 */
export function kernel(
  tensor: TfliteTensor,
  depthwise: boolean,
): { shape: number[]; values: Float32Array<ArrayBuffer> } {
  const [first = 0, height = 0, width = 0, last = 0] = tensor.shape;
  const [outputs, inputs] = depthwise ? [last, 1] : [first, last];
  const values = dequantised(tensor);
  const area = height * width;
  const ordered = new Float32Array(values.length);
  for (let o = 0; o < outputs; o += 1)
    for (let i = 0; i < inputs; i += 1)
      for (let p = 0; p < area; p += 1) {
        const from = depthwise ? p * outputs + o : (o * area + p) * inputs + i;
        ordered[(o * inputs + i) * area + p] = values[from] ?? Number.NaN;
      }
  return { shape: [outputs, inputs, height, width], values: ordered };
}

function storedIntegers(tensor: TfliteTensor): Int8Array | Int32Array {
  if (tensor.scales.length === 0) throw new Error(`The constant ${tensor.name} has no quantisation.`);
  if (tensor.type === "int8") return new Int8Array(tensor.data.buffer);
  if (tensor.type === "int32") return new Int32Array(tensor.data.buffer);
  throw new Error(`The constant ${tensor.name} has element type ${tensor.type}, which can't be converted.`);
}

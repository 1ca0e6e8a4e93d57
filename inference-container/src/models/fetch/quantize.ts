/** Reduces a graph's matrices to eight bits, by the arithmetic of ONNX Runtime's `quantize_dynamic` with a scale per column. */
import {
  again,
  fieldsOf,
  floatsOf,
  GRAPH,
  graphOf,
  named,
  nodeOf,
  type ReadField,
} from "../../onnx/graph-reader.ts";
import { constant, type Field, FLOAT, join, message, node } from "../../onnx/graph-writer.ts";

/** `TensorProto.DataType` of 8-bit integers. */
const INT8 = 3;
const MOST = 127;

interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly values: Float32Array;
}

interface Quantized {
  readonly values: Int8Array;
  /** One per column. */
  readonly scales: Float32Array;
}

/**
 * The graph with each product by a constant matrix in integers: the graph reduces the other factor to eight bits as it
 * runs. The same file gives the same bytes.
 */
export function withInt8Products(file: Uint8Array): Uint8Array {
  const model = [...fieldsOf(file)];
  const graph = graphOf(model);
  const weights = named(graph, 5, 8);
  const replaced = new Set<ReadField>();
  const reduced = new Set<string>();
  const constants: Field[] = [];
  const nodes: Field[] = [];
  for (const field of graph.filter(({ number }) => number === 1)) {
    const {
      operator,
      inputs: [value = "", factor = ""],
      outputs: [product = ""],
    } = nodeOf(field);
    const weight = weights.get(factor);
    const matrix = operator === "MatMul" && weight !== undefined ? matrixOf(weight) : undefined;
    if (weight === undefined || matrix === undefined) {
      nodes.push(again(field));
      continue;
    }
    const { columns, rows } = matrix;
    if (!replaced.has(weight)) {
      const { values, scales } = quantized(matrix);
      constants.push(
        constant(`${factor} int8`, [rows, columns], INT8, bytesOf(values)),
        constant(`${factor} scales`, [columns], FLOAT, bytesOf(scales)),
        constant(`${factor} zeros`, [columns], INT8, new Uint8Array(columns)),
      );
      replaced.add(weight);
    }
    const rounded = [`${value} int8`, `${value} scale`, `${value} zero`] as const;
    if (!reduced.has(value)) nodes.push(node("DynamicQuantizeLinear", [value], rounded));
    reduced.add(value);
    const [integers, floats, scale] = [`${product} integers`, `${product} floats`, `${product} scales`];
    nodes.push(
      node("MatMulInteger", [rounded[0], `${factor} int8`, rounded[2], `${factor} zeros`], [integers]),
      node("Cast", [integers], [floats], { to: FLOAT }),
      node("Mul", [rounded[1], `${factor} scales`], [scale]),
      node("Mul", [floats, scale], [product]),
    );
  }
  const others = graph.filter((field) => field.number !== 1 && !replaced.has(field)).map(again);
  const rest = model.filter(({ number }) => number !== GRAPH).map(again);
  return join([...rest, message(GRAPH, [...nodes, ...others, ...constants])]);
}

/** The matrix of floats that a constant is, if it is one. */
function matrixOf(weight: ReadField): Matrix | undefined {
  const { shape: [rows, columns, ...more] = [], values } = floatsOf(weight) ?? {};
  if (rows === undefined || columns === undefined || more.length > 0 || values === undefined)
    return undefined;
  return { rows, columns, values };
}

/** Of each column, the largest value becomes 127; a column of zeros has the scale 1. */
export function quantized({ columns, values }: Pick<Matrix, "columns" | "values">): Quantized {
  const scales = new Float32Array(columns);
  for (let at = 0; at < values.length; at += 1) {
    const size = Math.abs(values[at] ?? 0);
    if (size > (scales[at % columns] ?? 0)) scales[at % columns] = size;
  }
  for (const [column, most] of scales.entries()) scales[column] = most === 0 ? 1 : most / MOST;
  const rounded = new Int8Array(values.length);
  for (let at = 0; at < values.length; at += 1)
    rounded[at] = halfToEven(Math.fround((values[at] ?? 0) / (scales[at % columns] ?? 1)));
  return { values: rounded, scales };
}

function halfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int8Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

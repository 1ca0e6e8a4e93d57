/** Reads an ONNX file; message and field numbers are those of the ONNX project's `onnx.proto`. */
import { bytes, type Field, FLOAT, integer } from "./graph-writer.ts";

/** A field of a message, with the number that it is or the bytes that it has. */
export interface ReadField {
  readonly number: number;
  readonly value: number;
  readonly body?: Uint8Array;
}

export interface Node {
  readonly field: ReadField;
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** `ModelProto.graph`. */
export const GRAPH = 7;

/** The fields of a model's graph; joins a graph in several pieces. */
export function graphOf(model: readonly ReadField[]): ReadField[] {
  const graph: ReadField[] = [];
  for (const { number, body } of model) if (number === GRAPH && body) graph.push(...fieldsOf(body));
  return graph;
}

export function within(body: Uint8Array, number: number): Uint8Array {
  return [...fieldsOf(body)].find((field) => field.number === number)?.body ?? new Uint8Array();
}

export function nodeOf(field: ReadField): Node {
  const fields = [...fieldsOf(field.body ?? new Uint8Array())];
  const texts = (number: number): string[] => fields.filter((one) => one.number === number).map(textOf);
  return { field, inputs: texts(1), outputs: texts(2), operator: texts(4).join("") };
}

/** The graph's fields of one kind by name; `at` is the number of the field with the name. */
export function named(graph: readonly ReadField[], kind: number, at: number): Map<string, ReadField> {
  return new Map(
    graph
      .filter(({ number }) => number === kind)
      .map((field) => [new TextDecoder().decode(within(field.body ?? new Uint8Array(), at)), field] as const),
  );
}

/** A constant of floats. */
export interface Floats {
  readonly shape: readonly number[];
  /** Row by row. */
  readonly values: Float32Array<ArrayBuffer>;
}

/** The floats of a constant; undefined if it has another type, or its values are in another file. */
export function floatsOf({ body = new Uint8Array() }: ReadField): Floats | undefined {
  const fields = [...fieldsOf(body)];
  const raw = fields.find(({ number }) => number === 9)?.body;
  if (raw === undefined || fields.find(({ number }) => number === 2)?.value !== FLOAT) return undefined;
  const shape = fields.flatMap(({ number, value }) => (number === 1 ? [value] : []));
  // Copied, since floats must lie at multiples of four bytes.
  return { shape, values: new Float32Array(new Uint8Array(raw).buffer) };
}

const textOf = ({ body }: ReadField): string => new TextDecoder().decode(body);

/** Encodes a field without a change. */
export function again({ number, value, body }: ReadField): Field {
  return body === undefined ? integer(number, value) : bytes(number, body);
}

const [WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32] = [0, 1, 2, 5];

/** The fields of a message, in their order. @throws Error if the bytes are no message */
export function* fieldsOf(body: Uint8Array): Generator<ReadField> {
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (;;) {
      const digit = body[at];
      if (digit === undefined) throw new Error("The file is not an ONNX graph.");
      at += 1;
      value += (digit & 0x7f) * factor;
      if (digit < 0x80) return value;
      factor *= 0x80;
    }
  };
  while (at < body.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === WIRE_VARINT) {
      yield { number, value: varint() };
      continue;
    }
    const length = wire === WIRE_BYTES ? varint() : wire === WIRE_64 ? 8 : wire === WIRE_32 ? 4 : Infinity;
    if (at + length > body.length) throw new Error("The file is not an ONNX graph.");
    at += length;
    yield { number, value: 0, body: body.subarray(at - length, at) };
  }
}

/** Cuts parts out of an ONNX file; message and field numbers are those of the ONNX project's `onnx.proto`. */
import {
  again,
  fieldsOf,
  GRAPH,
  graphOf,
  named,
  type Node,
  nodeOf,
  type ReadField,
  within,
} from "./graph-reader.ts";
import { bytes, type Field, integer, join, message, text } from "./graph-writer.ts";

/** Values, by their names in the whole graph, between which a part computes. */
export interface Part {
  /** Inputs or outputs of the whole, which declare their types. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** An output of the whole graph. The part uses only its shape, for the number of pictures: one. */
  readonly counted?: string;
}

/** The most bytes of a weight that is copied into the parts. */
const LARGE = 1_024;
/** `TensorProto.DataType` of 16-bit floats. */
const FLOAT16 = 10;
const EXTERNAL = 1;

/**
 * A file with exactly the nodes that compute a part's outputs from its inputs. It reads its large weights from the
 * whole file, which must be in the same folder.
 * @param whole the bytes of that file
 * @param name the name of that file
 * @throws Error naming a value that the part needs and does not get
 */
export function cutPart(whole: Uint8Array, name: string, { inputs, outputs, counted }: Part): Uint8Array {
  const model = [...fieldsOf(whole)];
  const graph = graphOf(model);
  const weights = named(graph, 5, 8);
  // Inputs and outputs of the whole.
  const types = new Map([...named(graph, 11, 1), ...named(graph, 12, 1)]);
  const nodes = graph.filter(({ number }) => number === 1).map(nodeOf);
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)));

  const given = new Set([...inputs, counted]);
  const needed = new Set<Node>();
  const constants = new Map<string, ReadField>();
  const wanted = [...outputs];
  for (const value of wanted) {
    const [maker, weight] = [makers.get(value), weights.get(value)];
    if (weight !== undefined) constants.set(value, weight);
    else if (maker === undefined)
      throw new Error(`The graph does not compute "${value}" from ${inputs.join(" and ")}.`);
    else if (!needed.has(maker)) {
      needed.add(maker);
      // The array grows during the loop. A missing optional input has an empty name.
      wanted.push(...maker.inputs.filter((input) => input !== "" && !given.has(input)));
    }
  }
  const others = [...needed].filter(
    ({ operator, inputs: read }) => read.includes(counted ?? "") && operator !== "Shape",
  );
  if (counted !== undefined && others.length > 0)
    throw new Error(
      `The graph computes "${outputs.join('", "')}" from "${counted}", not from its shape alone.`,
    );

  const declared = (number: number, names: readonly string[]): Field[] =>
    names.map((value) => {
      const type = types.get(value)?.body;
      if (type === undefined) throw new Error(`The graph has no input or output "${value}".`);
      return bytes(number, type);
    });
  const isCounted = [...needed].some(({ inputs: read }) => read.includes(counted ?? ""));
  const part = [
    ...nodes.filter((node) => needed.has(node)).map(({ field }) => again(field)),
    text(2, outputs.join(" ")),
    ...[...constants.values()].map((weight) => constantOf(weight, whole, name)),
    ...(isCounted ? [pictureOf(counted ?? "", types.get(counted ?? "")?.body)] : []),
    ...declared(11, inputs),
    ...declared(12, outputs),
  ];
  return join([...model.filter(({ number }) => number !== GRAPH).map(again), message(GRAPH, part)]);
}

/** A weight: unchanged if it is small, else as a reference into the whole file. */
function constantOf(weight: ReadField, whole: Uint8Array, name: string): Field {
  const fields = [...fieldsOf(weight.body ?? new Uint8Array())];
  const raw = fields.find(({ number }) => number === 9)?.body;
  if (raw === undefined || raw.length <= LARGE) return again(weight);
  const place = { location: name, offset: raw.byteOffset - whole.byteOffset, length: raw.length };
  return message(5, [
    ...fields.filter(({ number }) => number !== 9).map(again),
    ...Object.entries(place).map(([key, value]) => message(13, [text(1, key), text(2, `${value}`)])),
    integer(14, EXTERNAL),
  ]);
}

/** A tensor with a single zero that replaces a value, with the rank and the type that the whole declares for it. */
function pictureOf(name: string, declared: Uint8Array = new Uint8Array()): Field {
  const tensor = within(within(declared, 2), 1);
  const type = [...fieldsOf(tensor)].find(({ number }) => number === 1)?.value ?? 0;
  const rank = [...fieldsOf(within(tensor, 2))].length;
  return message(5, [
    ...Array.from({ length: rank }, () => integer(1, 1)),
    integer(2, type),
    text(8, name),
    bytes(9, new Uint8Array(type === FLOAT16 ? 2 : 4)),
  ]);
}

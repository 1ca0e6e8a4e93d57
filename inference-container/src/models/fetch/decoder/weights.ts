/** The weights of SAM 2's decoder from its export, and their rearrangement. */
import {
  fieldsOf,
  type Floats,
  floatsOf,
  graphOf,
  named,
  nodeOf,
  type ReadField,
} from "../../../onnx/graph-reader.ts";

export type Weight = Floats;

/**
 * All weights of the export by PyTorch's names. Matrices that the export multiplies from the right are inputs × outputs, all
 * others outputs × inputs.
 */
export class Weights {
  readonly #weights: ReadonlyMap<string, ReadField>;

  /** @param file the export's bytes */
  constructor(file: Uint8Array) {
    const graph = graphOf([...fieldsOf(file)]);
    const weights = named(graph, 5, 8);
    const nodes = graph.filter(({ number }) => number === 1).map(nodeOf);
    const factors = new Map(
      nodes.flatMap(({ operator, inputs: [, factor = ""], outputs: [output = ""] }) =>
        operator === "MatMul" && weights.has(factor) ? [[output, factor] as const] : [],
      ),
    );
    // The export names a factor by a number only. The summand of its product has the name of its layer.
    for (const { operator, inputs } of nodes) {
      const bias = inputs.find((input) => input.endsWith(".bias"));
      const factor = weights.get(inputs.map((input) => factors.get(input)).find(Boolean) ?? "");
      if (operator === "Add" && bias !== undefined && factor !== undefined)
        weights.set(bias.replace(/bias$/, "weight"), factor);
    }
    this.#weights = weights;
  }

  /** @throws Error if the export lacks the weight */
  get(name: string): Weight {
    const field = this.#weights.get(name);
    const weight = field && floatsOf(field);
    if (weight === undefined) throw new Error(`SAM 2's decoder lacks the weight "${name}".`);
    return weight;
  }
}

/** The same values in another shape. */
export const reshaped = ({ values }: Weight, ...shape: number[]): Weight => ({ shape, values });

/** The tensor with its axes in the order of `axes`. */
export function permuted({ shape, values }: Weight, ...axes: number[]): Weight {
  const steps = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const sizes = axes.map((axis) => shape[axis] ?? 0);
  let places = [0];
  for (const [i, size] of sizes.entries()) {
    const step = steps[axes[i] ?? 0] ?? 0;
    places = places.flatMap((place) => Array.from({ length: size }, (_, at) => place + at * step));
  }
  return { shape: sizes, values: Float32Array.from(places, (place) => values[place] ?? Number.NaN) };
}

export const scaled = ({ shape, values }: Weight, factor: number): Weight => ({
  shape,
  values: values.map((value) => value * factor),
});

/** Tensors of one shape one after another, along a new first axis. */
export const stacked = (weights: readonly Weight[]): Weight => ({
  shape: [weights.length, ...(weights[0]?.shape ?? [])],
  values: Float32Array.from(weights.flatMap(({ values }) => [...values])),
});

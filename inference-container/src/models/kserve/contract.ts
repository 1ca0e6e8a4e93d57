/** Tensors between the service and a model server, in the terms of the Open Inference Protocol. */
import { z } from "zod";
import { ModelFolderError } from "../errors.ts";

/** Bytes per element. Each element of BYTES carries its length. */
export const ELEMENT_BYTES = { UINT8: 1, INT32: 4, FP16: 2, FP32: 4 } as const;
type Datatype = keyof typeof ELEMENT_BYTES | "BYTES";

/** A tensor by the protocol's names; -1 is a dimension of any size. */
interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

export interface Contracted extends TensorMetadata {
  readonly datatype: Datatype;
  /** Names of the dimensions, for messages. */
  readonly axes: readonly (string | number)[];
}

/** The side of a mask's grid of logits. */
export const GRID = 288;

export const INPUTS = [
  { name: "image", datatype: "UINT8", shape: [-1, -1, 3], axes: ["height", "width", 3] },
  { name: "prompts", datatype: "BYTES", shape: [-1], axes: ["prompts"] },
  { name: "threshold", datatype: "FP32", shape: [1], axes: [1] },
  { name: "content_hash", datatype: "BYTES", shape: [1], axes: [1] },
] as const satisfies readonly Contracted[];

/**
 * The input of a model that draws regions, one row per click: the region's number, from 0, x and y in the image's pixels, and
 * SAM's label: 1 on the object, 0 outside it, 2 and 3 a box's upper left and lower right corner.
 */
export const CLICKS = {
  name: "clicks",
  datatype: "FP32",
  shape: [-1, 4],
  axes: ["clicks", 4],
} as const satisfies Contracted;

/** The inputs of a model that draws regions, or of a model without regions. */
export const inputsOf = (drawsRegions: boolean) => (drawsRegions ? [...INPUTS, CLICKS] : INPUTS);

export const OUTPUTS = [
  { name: "boxes", datatype: "FP32", shape: [-1, 4], axes: ["objects", 4] },
  { name: "scores", datatype: "FP32", shape: [-1], axes: ["objects"] },
  { name: "prompt_index", datatype: "INT32", shape: [-1], axes: ["objects"] },
  { name: "masks", datatype: "FP16", shape: [-1, GRID, GRID], axes: ["objects", GRID, GRID] },
] as const satisfies readonly Contracted[];
export type OutputName = (typeof OUTPUTS)[number]["name"];

const Tensor = z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.coerce.number().int()) });

/** A model's metadata, as `GET v2/models/{model}` answers. */
export const ModelMetadata = z.object({ inputs: z.array(Tensor), outputs: z.array(Tensor) });
export type ModelMetadata = z.infer<typeof ModelMetadata>;

/**
 * Compares a model's metadata with the service's inputs and outputs.
 * @param name names the model in messages
 * @returns true if the model has the input for regions
 * @throws ModelFolderError naming the first tensor that is missing, differs, or is required but never sent
 */
export function checkMetadata(name: string, { inputs, outputs }: ModelMetadata): boolean {
  const drawsRegions = inputs.some((input) => input.name === CLICKS.name);
  const sent: readonly Contracted[] = inputsOf(drawsRegions);
  checkTensors(name, "input", sent, inputs);
  checkTensors(name, "output", OUTPUTS, outputs);
  const extra = inputs.find((input) => !sent.some((one) => one.name === input.name));
  if (extra !== undefined)
    throw new ModelFolderError(`${name} requires an input "${extra.name}", which the service never sends.`);
  return drawsRegions;
}

function checkTensors(
  name: string,
  kind: "input" | "output",
  expected: readonly Contracted[],
  found: readonly TensorMetadata[],
): void {
  for (const spec of expected) {
    const tensor = found.find((one) => one.name === spec.name);
    if (tensor === undefined)
      throw new ModelFolderError(
        `${name} has no ${kind} "${spec.name}"; its ${kind}s are ${found.map((one) => `"${one.name}"`).join(", ")}.`,
      );
    if (tensor.datatype === spec.datatype && fits(tensor.shape, spec.shape)) continue;
    const batched = fits(tensor.shape.slice(1), spec.shape);
    throw new ModelFolderError(
      `The ${kind} "${spec.name}" of ${name} is ${formOf(tensor)}; the service needs ${formOf(spec)}.${
        batched ? " Its first dimension is a batch's: set the model's max_batch_size to 0." : ""
      }`,
    );
  }
}

/** True if each dimension is open at the server or has the expected size. */
function fits(found: readonly number[], expected: readonly number[]): boolean {
  return found.length === expected.length && found.every((size, i) => size === -1 || size === expected[i]);
}

const formOf = ({ datatype, shape }: TensorMetadata): string => `${datatype} [${shape.join(", ")}]`;

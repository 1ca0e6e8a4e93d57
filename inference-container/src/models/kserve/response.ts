/// <reference lib="esnext.float16" />
/** Reads an inference response: JSON, or JSON and binary tensors. Bounds and checks everything. */
import { z } from "zod";
import { ELEMENT_BYTES, GRID, type OutputName, OUTPUTS } from "./contract.ts";

/** The fault of an answer: names the tensor and the expected value. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

/** The outputs of `count` objects, each tensor flat. */
export interface Outputs {
  readonly count: number;
  /** `4 * count` */
  readonly boxes: Float32Array;
  readonly scores: Float32Array;
  readonly promptIndex: Int32Array;
  /** `count * GRID * GRID` logits. */
  readonly masks: Float16Array;
}

/** The most bytes of the JSON part: the descriptions of five tensors and a few parameters. */
const JSON_BYTES = 65_536;
const OBJECT_BYTES = 4 * 4 + 4 + 4 + 2 * GRID * GRID;

const Output = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int().nonnegative()),
  parameters: z.looseObject({ binary_data_size: z.int().nonnegative().optional() }).optional(),
  data: z.array(z.unknown()).optional(),
});
type Output = z.infer<typeof Output>;

const Answer = z.object({ id: z.string().optional(), outputs: z.array(Output).max(32) });

/** The most bytes of an answer with a number of objects. */
export const answerBytes = (objects: number): number => JSON_BYTES + objects * OBJECT_BYTES;

/**
 * Reads the outputs of an answer.
 * @param headerBytes the header Inference-Header-Content-Length; null if the body is JSON alone
 * @param id the request's, which the answer must repeat; absent if it had none
 * @param most the largest number of objects
 * @throws WrongAnswer
 */
export function readOutputs(
  body: Uint8Array<ArrayBuffer>,
  headerBytes: string | null,
  id: string | undefined,
  most: number,
): Outputs {
  const length = headerBytes === null ? body.length : Number(headerBytes);
  if (!(Number.isInteger(length) && length >= 0 && length <= body.length))
    throw new WrongAnswer(`Inference-Header-Content-Length is "${headerBytes}" in ${body.length} bytes.`);
  const answer = readJson(body.subarray(0, length));
  if (id !== undefined && answer.id !== undefined && answer.id !== id)
    throw new WrongAnswer("The answer's id is another request's.");
  const binary = binaryParts(answer.outputs, body.subarray(length));
  const count = countOf(answer.outputs, most);
  const read = (name: OutputName): Uint8Array<ArrayBuffer> | readonly number[] =>
    valuesOf(name, count, answer.outputs, binary);
  return {
    count,
    boxes: typed(read("boxes"), Float32Array),
    scores: typed(read("scores"), Float32Array),
    promptIndex: typed(read("prompt_index"), Int32Array),
    masks: typed(read("masks"), Float16Array),
  };
}

function readJson(bytes: Uint8Array): z.infer<typeof Answer> {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    throw new WrongAnswer("The answer's JSON part is no JSON.");
  }
  const answer = Answer.safeParse(json);
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw new WrongAnswer(`The answer is wrong at "${issue?.path.join(".")}": ${issue?.message}.`);
}

/** The binary data of the outputs that have any, in the outputs' order. */
function binaryParts(
  outputs: readonly Output[],
  bytes: Uint8Array<ArrayBuffer>,
): Map<Output, Uint8Array<ArrayBuffer>> {
  const parts = new Map<Output, Uint8Array<ArrayBuffer>>();
  let at = 0;
  for (const output of outputs) {
    const size = output.parameters?.binary_data_size;
    if (size === undefined) continue;
    if (at + size > bytes.length)
      throw new WrongAnswer(
        `The output "${output.name}" has ${size} bytes; ${bytes.length - at} are left of the answer.`,
      );
    // A copy, whose first byte is aligned for any element.
    parts.set(output, bytes.slice(at, at + size));
    at += size;
  }
  if (at < bytes.length)
    throw new WrongAnswer(`The answer has ${bytes.length - at} bytes more than its outputs.`);
  return parts;
}

function find(outputs: readonly Output[], name: OutputName): Output {
  const output = outputs.find((one) => one.name === name);
  if (output === undefined) throw new WrongAnswer(`The answer lacks the output "${name}".`);
  return output;
}

/** The number of objects in the answer: all outputs must have the same. */
function countOf(outputs: readonly Output[], most: number): number {
  const [count = 0] = find(outputs, "scores").shape;
  if (count > most) throw new WrongAnswer(`The answer has ${count} objects; the manifest allows ${most}.`);
  for (const { name, datatype, shape } of OUTPUTS) {
    const found = find(outputs, name);
    const wanted = [count, ...shape.slice(1)];
    if (found.datatype !== datatype || found.shape.join() !== wanted.join())
      throw new WrongAnswer(
        `The output "${name}" is ${found.datatype} [${found.shape.join(", ")}]; ${datatype} [${wanted.join(", ")}] was expected.`,
      );
  }
  return count;
}

/** An output's elements: bytes if it is binary, else numbers. */
function valuesOf(
  name: OutputName,
  count: number,
  outputs: readonly Output[],
  binary: ReadonlyMap<Output, Uint8Array<ArrayBuffer>>,
): Uint8Array<ArrayBuffer> | readonly number[] {
  const output = find(outputs, name);
  const elements = output.shape.reduce((product, size) => product * size, 1);
  const bytes = binary.get(output);
  if (bytes !== undefined) {
    const expected = elements * ELEMENT_BYTES[OUTPUTS.find((one) => one.name === name)?.datatype ?? "FP32"];
    if (bytes.length !== expected)
      throw new WrongAnswer(`The output "${name}" has ${bytes.length} bytes instead of ${expected}.`);
    return bytes;
  }
  const numbers: unknown[] = output.data?.flat(2) ?? [];
  if (numbers.length !== elements || !numbers.every((value) => typeof value === "number"))
    throw new WrongAnswer(`The output "${name}" has not ${elements} numbers for ${count} objects.`);
  return numbers;
}

function typed<T>(
  values: Uint8Array<ArrayBuffer> | readonly number[],
  Type: { new (buffer: ArrayBuffer): T; new (values: readonly number[]): T },
): T {
  return values instanceof Uint8Array ? new Type(values.buffer) : new Type(values);
}

/** The file of a picture's embedding: features in bytes, from which a decoder draws masks. */

export type Blocks = readonly [outer: number, run: number, inner: number];

/** A tensor in bytes: a value is its minimum plus its step times its byte. */
export interface EmbeddedTensor {
  /** The name of the decoder's input. */
  readonly name: string;
  readonly dims: readonly number[];
  /** The same values as [outer, run, inner]: those of a run have one minimum and one step. */
  readonly blocks: Blocks;
  /** outer × inner values, as `step`. */
  readonly minimum: Float32Array;
  readonly step: Float32Array;
  /** Row by row. */
  readonly bytes: Uint8Array;
}

/** Numbers with which the model's decoder draws masks. */
export interface DecoderRules {
  /** The size of the picture in the decoder's points. */
  readonly width: number;
  readonly height: number;
  /** Masks lose separate parts smaller than this share of the largest. */
  readonly islandShare: number;
  /** Masks lose holes smaller than this share of the object. */
  readonly holeShare: number;
}

/** A picture's features, and the model that has made them. */
export interface EmbeddingData {
  readonly model: { readonly id: string; readonly version: string };
  readonly decoder: DecoderRules;
  /** The picture's size in pixels, as viewers show it. */
  readonly width: number;
  readonly height: number;
  readonly tensors: readonly EmbeddedTensor[];
}

/** The first bytes of the file. */
const MAGIC = "SEGEMBED";
/** The version of the file's format. */
export const EMBEDDING_FORMAT = 1;
/** Bytes before the header: `MAGIC`, and the header's length. */
const LEAD = MAGIC.length + 4;
/** Floats begin at multiples of this. */
const ALIGNMENT = 8;

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
const product = (sizes: readonly number[]): number => sizes.reduce((count, size) => count * size, 1);

/** The file's bytes. */
export function writeEmbedding({ model, decoder, width, height, tensors }: EmbeddingData): Uint8Array {
  let end = 0;
  const placed = tensors.map(({ name, dims, blocks, ...parts }) => {
    const offset = end;
    end += aligned(8 * parts.minimum.length + parts.bytes.length);
    return { parts, head: { name, dims, blocks, offset } };
  });
  const head = {
    format: EMBEDDING_FORMAT,
    model,
    decoder,
    width,
    height,
    tensors: placed.map((one) => one.head),
  };
  const json = new TextEncoder().encode(JSON.stringify(head));
  const start = aligned(LEAD + json.length);
  const file = new Uint8Array(start + end);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode(MAGIC));
  view.setUint32(MAGIC.length, start - LEAD, true);
  file.fill(" ".charCodeAt(0), LEAD, start);
  file.set(json, LEAD);
  for (const { parts, head: one } of placed) {
    let at = start + one.offset;
    for (const floats of [parts.minimum, parts.step])
      for (const value of floats) {
        view.setFloat32(at, value, true);
        at += 4;
      }
    file.set(parts.bytes, at);
  }
  return file;
}

const fail = (why: string): never => {
  throw new Error(`The file is no embedding: ${why}.`);
};

/** Reads a file. @throws Error that says why it is none */
export function readEmbedding(file: Uint8Array): EmbeddingData {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const magic = new TextDecoder().decode(file.subarray(0, MAGIC.length));
  if (file.length < LEAD || magic !== MAGIC) return fail(`it does not begin with ${MAGIC}`);
  const start = LEAD + view.getUint32(MAGIC.length, true);
  if (start > file.length) return fail("it is cut short");
  const head = headOf(new TextDecoder().decode(file.subarray(LEAD, start)));
  if (head === undefined) return fail(`its header is not of format ${EMBEDDING_FORMAT}`);
  const floats = (at: number, count: number): Float32Array =>
    Float32Array.from({ length: count }, (_, index) => view.getFloat32(at + 4 * index, true));
  const tensors = head.tensors.map(({ name, dims, blocks, offset }) => {
    const [ranges, values] = [blocks[0] * blocks[2], product(blocks)];
    const [at, bytes] = [start + offset, start + offset + 8 * ranges];
    if (bytes + values > file.length) return fail("it is cut short");
    return {
      name,
      dims,
      blocks,
      minimum: floats(at, ranges),
      step: floats(at + 4 * ranges, ranges),
      bytes: file.subarray(bytes, bytes + values),
    };
  });
  return { ...head, tensors };
}

/** The values of a tensor, row by row. */
export function valuesOf({ blocks, minimum, step, bytes }: EmbeddedTensor): Float32Array {
  const [, run, inner] = blocks;
  const values = new Float32Array(bytes.length);
  for (let from = 0, range = 0; from < values.length; from += run * inner, range += inner)
    for (let row = from; row < from + run * inner; row += inner)
      for (let at = 0; at < inner; at += 1)
        values[row + at] = (minimum[range + at] ?? 0) + (step[range + at] ?? 0) * (bytes[row + at] ?? 0);
  return values;
}

interface Head extends Omit<EmbeddingData, "tensors"> {
  readonly tensors: readonly (Pick<EmbeddedTensor, "name" | "dims" | "blocks"> & {
    readonly offset: number;
  })[];
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;
const countsOf = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isCount) : []);

function headOf(json: string): Head | undefined {
  let head: unknown;
  try {
    head = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isObject(head) || head["format"] !== EMBEDDING_FORMAT) return undefined;
  const { model, width, height, tensors } = head;
  const decoder = rulesOf(head["decoder"]);
  if (!isObject(model) || !isCount(width) || !isCount(height) || !Array.isArray(tensors)) return undefined;
  const { id, version } = model;
  if (typeof id !== "string" || typeof version !== "string" || decoder === undefined) return undefined;
  const each: readonly unknown[] = tensors;
  const read = each.flatMap((one) => {
    if (!isObject(one)) return [];
    const { name, offset } = one;
    const [dims, [outer, run, inner, ...more]] = [countsOf(one["dims"]), countsOf(one["blocks"])];
    if (typeof name !== "string" || !isCount(offset)) return [];
    if (outer === undefined || run === undefined || inner === undefined || more.length > 0) return [];
    const blocks = [outer, run, inner] as const;
    return product(dims) === product(blocks) ? [{ name, dims, blocks, offset }] : [];
  });
  if (read.length < each.length) return undefined;
  return { model: { id, version }, decoder, width, height, tensors: read };
}

function rulesOf(rules: unknown): DecoderRules | undefined {
  if (!isObject(rules)) return undefined;
  const { width, height, islandShare, holeShare } = rules;
  if (!isCount(width) || !isCount(height) || !isShare(islandShare) || !isShare(holeShare)) return undefined;
  return { width, height, islandShare, holeShare };
}

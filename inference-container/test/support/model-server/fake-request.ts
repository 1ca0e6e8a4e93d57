/** Reads an inference request with binary tensors for the fake model server. */
import type { IncomingMessage } from "node:http";
import { z } from "zod";

/** The name by which the fake server knows its model. */
export const MODEL = "fixture";

/** A request as it came. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly id: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The names of the outputs for which binary data was asked. */
  readonly binary: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  readonly prompts: readonly string[];
  readonly threshold: number;
  readonly contentHash: string;
  /** Rows of region, x, y and label; undefined if the request has no such input. */
  readonly clicks: readonly (readonly number[])[] | undefined;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
}

const Header = z.object({
  id: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  inputs: z.array(
    z.object({
      name: z.string(),
      datatype: z.string(),
      shape: z.array(z.number()),
      parameters: z.object({ binary_data_size: z.number() }),
    }),
  ),
  outputs: z.array(
    z.object({ name: z.string(), parameters: z.object({ binary_data: z.boolean() }).optional() }),
  ),
});

/** @throws Error if the request breaks the protocol */
export async function readRequest(request: IncomingMessage, gone: AbortSignal): Promise<Seen> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (Number(request.headers["content-length"]) !== body.length) throw new Error("no Content-Length");
  const length = Number(request.headers["inference-header-content-length"]);
  const header = Header.parse(JSON.parse(body.subarray(0, length).toString("utf8")));
  let at = length;
  const inputs = new Map(
    header.inputs.map(({ name, datatype, shape, parameters: { binary_data_size: size } }) => {
      const bytes = new Uint8Array(body.subarray(at, at + size));
      at += size;
      return [name, { datatype, shape, bytes }] as const;
    }),
  );
  if (at !== body.length) throw new Error("the inputs' sizes are not the body's");
  const input = (name: string, datatype: string, rank: number) => {
    const tensor = inputs.get(name);
    if (tensor?.datatype !== datatype || tensor.shape.length !== rank) throw new Error(`wrong input ${name}`);
    return tensor;
  };
  const image = input("image", "UINT8", 3);
  const [height = 0, width = 0] = image.shape;
  if (image.bytes.length !== width * height * 3) throw new Error("wrong size of image");
  const clicks = inputs.has("clicks") ? input("clicks", "FP32", 2).bytes : undefined;
  return {
    path: request.url ?? "",
    headers: request.headers,
    id: header.id,
    parameters: header.parameters,
    binary: header.outputs.flatMap(({ name, parameters }) =>
      parameters?.binary_data === true ? [name] : [],
    ),
    width,
    height,
    rgb: image.bytes,
    prompts: texts(input("prompts", "BYTES", 1).bytes),
    threshold: new Float32Array(input("threshold", "FP32", 1).bytes.buffer)[0] ?? NaN,
    contentHash: texts(input("content_hash", "BYTES", 1).bytes)[0] ?? "",
    clicks: clicks && rowsOf([...new Float32Array(clicks.buffer)], 4),
    gone,
  };
}

const rowsOf = (values: readonly number[], size: number): number[][] =>
  Array.from({ length: values.length / size }, (_, row) => values.slice(row * size, (row + 1) * size));

/** The elements of a tensor of BYTES. */
function texts(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  const found: string[] = [];
  for (let at = 0; at < buffer.length;) {
    const length = buffer.readUInt32LE(at);
    found.push(buffer.subarray(at + 4, at + 4 + length).toString("utf8"));
    at += 4 + length;
  }
  return found;
}

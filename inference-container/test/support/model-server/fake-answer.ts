/// <reference lib="esnext.float16" />
/** Writes an answer of the fake model server, in binary tensors or JSON, whole or in pieces. */
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

import { MODEL, type Seen } from "./fake-request.ts";

/** A tensor of an answer. */
export interface FakeTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly values: readonly number[] | Float32Array;
  /** The values in binary, if they exist already. */
  readonly bytes?: Buffer;
}

/** The server's reaction to a request. */
export interface Fake {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tensors?: readonly FakeTensor[];
  /** Outputs given as JSON, although the request asks for binary data. */
  readonly json?: readonly string[];
  /** The JSON part, changed before it is sent. */
  readonly changed?: (header: Record<string, unknown>) => object;
  /** The body instead of tensors, or the tensors' body changed. */
  readonly body?: Uint8Array | string | ((body: Buffer) => Uint8Array);
  /** Sends chunks of this many bytes, without a length. */
  readonly chunk?: number;
  /** Breaks the connection after this many bytes of the body. */
  readonly cutAfter?: number;
}

/** Answers a request. */
export async function sendAnswer(response: ServerResponse, seen: Seen, fake: Fake): Promise<void> {
  const { status = 200, headers = {}, tensors = [], chunk, cutAfter } = fake;
  const inJson = ({ name }: FakeTensor): boolean =>
    !seen.binary.includes(name) || fake.json?.includes(name) === true;
  const parts = tensors.filter((tensor) => !inJson(tensor)).map(binaryOf);
  let next = 0;
  const described = {
    model_name: MODEL,
    model_version: "1",
    ...(seen.id !== undefined && { id: seen.id }),
    outputs: tensors.map((tensor) => {
      const { name, datatype, shape, values } = tensor;
      if (inJson(tensor)) return { name, datatype, shape, data: [...values] };
      return { name, datatype, shape, parameters: { binary_data_size: parts[next++]?.length ?? 0 } };
    }),
  };
  const header = Buffer.from(JSON.stringify(fake.changed?.(described) ?? described));
  const whole = Buffer.concat([header, ...parts]);
  const body =
    typeof fake.body === "function" ? fake.body(whole) : fake.body === undefined ? whole : fake.body;
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    // As Triton: an answer whose binary tensors are all empty is JSON alone.
    ...(whole.length > header.length && { "inference-header-content-length": String(header.length) }),
    ...(chunk === undefined && { "content-length": String(bytes.length) }),
    ...headers,
  });
  if (cutAfter !== undefined) {
    response.write(bytes.subarray(0, cutAfter), () => response.destroy());
    return;
  }
  const size = chunk ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    if (!response.write(bytes.subarray(at, at + size))) await turn();
  }
  response.end();
}

/** A tensor's values in binary. */
function binaryOf({ datatype, values, bytes }: FakeTensor): Buffer {
  if (bytes !== undefined) return bytes;
  const typed =
    datatype === "FP16"
      ? Float16Array.from(values)
      : datatype === "INT32"
        ? Int32Array.from(values)
        : datatype === "FP64"
          ? Float64Array.from(values)
          : Float32Array.from(values);
  return Buffer.from(typed.buffer);
}

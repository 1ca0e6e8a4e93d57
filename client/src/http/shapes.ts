/**
 * Recognizes values by their shapes. `instanceof` fails for classes of another realm (frames, Next.js, test runners) and of packages
 * such as node-fetch.
 */

import type { Bytes } from "@segmentation/masks";

/** A stream of bytes: of the Web, of Node, or any other asynchronous iterable. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Tells whether a value is an object with a method of this name. */
export const can = (value: unknown, name: PropertyKey): boolean =>
  isObject(value) && typeof Reflect.get(value, name) === "function";

/** Tells whether a value is an object with these fields. */
export const has = (value: unknown, ...names: string[]): value is Readonly<Record<string, unknown>> =>
  isObject(value) && names.every((name) => name in value);

/** A response of the platform's `fetch` or of a package's. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

export const isResponse = (value: unknown): value is ResponseLike =>
  has(value, "status", "ok", "headers") && typeof value.status === "number" && can(value, "arrayBuffer");

export const isByteStream = (value: unknown): value is ByteStream =>
  can(value, "getReader") || can(value, Symbol.asyncIterator);

/** The bytes of a buffer, or of a view of one; undefined for anything else. Memory that threads share is copied: no Blob takes it. */
export function bytesOf(value: unknown): Bytes | undefined {
  if (isBuffer(value)) return unshared(new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return undefined;
  return unshared(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

const isBuffer = (value: unknown): value is ArrayBufferLike =>
  ["ArrayBuffer", "SharedArrayBuffer"].includes(tagOf(value));

const isUnshared = (bytes: Uint8Array): bytes is Bytes => tagOf(bytes.buffer) === "ArrayBuffer";

const unshared = (bytes: Uint8Array): Bytes => (isUnshared(bytes) ? bytes : new Uint8Array(bytes));

/** Visits a stream chunk by chunk. @throws the stream's own errors, TypeError if a chunk has no bytes */
export async function* chunksOf(stream: ByteStream): AsyncGenerator<Bytes, void> {
  for await (const chunk of "getReader" in stream ? readFrom(stream) : stream) {
    const bytes = bytesOf(chunk);
    if (bytes === undefined) throw new TypeError(`its chunks are not bytes but of type ${typeof chunk}`);
    yield bytes;
  }
}

/** Safari's streams are not iterable. */
async function* readFrom(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

import { setTimeout as sleep } from "node:timers/promises";

/** A response's body is longer than allowed. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/**
 * A response's body in chunks.
 * @throws the error of `tooLong` once the body, or its Content-Length, exceeds `limit` bytes
 */
export async function* bounded(
  response: Response,
  limit: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  if (Number(response.headers.get("content-length")) > limit) {
    await discard(response);
    throw tooLong();
  }
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLong();
    yield chunk;
  }
}

/** Reads a response's body. @throws AnswerTooLong once the body, or its Content-Length, exceeds `limit` bytes */
export async function readBytes(response: Response, limit: number): Promise<Buffer<ArrayBuffer>> {
  const tooLong = (): AnswerTooLong => new AnswerTooLong(`The answer is longer than ${limit} bytes.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(response, limit, tooLong)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Reads a response's body as text.
 * @throws AnswerTooLong once the body, or its Content-Length, exceeds `limit` bytes
 */
export async function readText(response: Response, limit: number): Promise<string> {
  return (await readBytes(response, limit)).toString("utf8");
}

/** Discards an unread body: its connection can then serve another request. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** A signal that aborts with the given one or after `ms` milliseconds. */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/**
 * Time limit of a transfer of this many bytes, in milliseconds: a minute plus a second per megabyte. Slower storage
 * counts as stuck. If it sends nothing at all, fetch gives up earlier.
 */
export const transferMs = (bytes: number): number => 60_000 + Math.ceil(bytes / 1_000);

/** True if the same request may succeed later. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Milliseconds before retry `attempt` (from 0): doubling from 200, at most 5,000, less up to half at random. */
export function backoffMs(attempt: number): number {
  return Math.min(200 * 2 ** attempt, 5_000) * (0.5 + Math.random() / 2);
}

/** Waits; rejects with the signal's reason if that aborts meanwhile. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
}

/** Time limit of retries: the lease's end, but at most `ms` milliseconds from now. */
export class Patience {
  readonly #end: number;
  readonly #lease: { readonly deadline: number };

  constructor(ms: number, lease: { readonly deadline: number }) {
    this.#end = Date.now() + ms;
    this.#lease = lease;
  }

  /** True if it will be over `delayMs` milliseconds from now. */
  isOverIn(delayMs: number): boolean {
    return Date.now() + delayMs > Math.min(this.#end, this.#lease.deadline);
  }
}

/** Reads a response's body as text. @throws Error once it is longer than `limit` bytes */
export async function readText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new Error(`The answer is longer than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Lets an unread body go, so that its connection can be used again. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** Aborts with the task or after `ms`. */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/**
 * How long a transfer of so many bytes may take, in milliseconds: a minute, and a second for each megabyte. A storage
 * slower than that is as good as stuck; one that sends nothing at all is given up by fetch itself.
 */
export const transferMs = (bytes: number): number => 60_000 + Math.ceil(bytes / 1_000);

/** Whether the same request may succeed later. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Milliseconds before retry `attempt` (from 0): doubling from 200, at most 5,000, spread by half. */
export function backoffMs(attempt: number): number {
  return Math.min(200 * 2 ** attempt, 5_000) * (0.5 + Math.random() / 2);
}

/** How long something is tried again: while the lease lives, and not for longer than so many milliseconds from now. */
export class Patience {
  readonly #end: number;
  readonly #lease: { readonly deadline: number };

  constructor(ms: number, lease: { readonly deadline: number }) {
    this.#end = Date.now() + ms;
    this.#lease = lease;
  }

  isOverIn(delayMs: number): boolean {
    return Date.now() + delayMs > Math.min(this.#end, this.#lease.deadline);
  }
}

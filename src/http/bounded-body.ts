import type { Context } from "hono";
import { ServiceError, TRY_AGAIN } from "../shared/errors.ts";
import { platform, type AppEnv } from "./context.ts";

const MIB = 1_048_576;
/** The rate of requests alone bounds requests that take less, like most of the API's. */
const SMALL_BYTES = 2 * MIB;
const RETRY_SECONDS = 5;
/** Maximum bytes of memory that a byte of JSON takes: itself, its text, and its value. */
export const BYTES_PER_BYTE = 6;
/** Bytes of a body without a length that are read before it counts as large. */
const UNDECLARED_BYTES = SMALL_BYTES / BYTES_PER_BYTE;
/** Time within which a body must arrive, so that a slow one does not hold its memory for long. */
const PATIENCE_MS = 60_000;

export const tooLarge = (mostBytes: number): ServiceError =>
  new ServiceError("body_too_large", `The body is larger than ${mostBytes} bytes. Send a smaller one.`);

/** Returns the size that a request declares for its body; NaN if it declares none. */
export const declaredBytes = (c: Context<AppEnv>): number =>
  c.req.header("transfer-encoding") === undefined
    ? Number(c.req.header("content-length") ?? Number.NaN)
    : Number.NaN;

/** A request's body, of which no more than its limit is read. */
export interface BoundedBody {
  /** Its bytes; its limit for a large body of unknown length. */
  readonly size: number;
  /** Reads it, once. A client that disconnects is not our failure. @throws ServiceError body_too_large, body_incomplete. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Returns a request's body before it is read. Reads at most its beginning, if its length is unknown.
 * @throws ServiceError body_too_large if its declared length is too large; as its `read`.
 */
export async function boundedBody(c: Context<AppEnv>, mostBytes: number): Promise<BoundedBody> {
  const { body } = c.req.raw;
  if (body === null) return { size: 0, read: () => Promise.resolve(new Uint8Array()) };
  const declared = declaredBytes(c);
  if (declared > mostBytes) throw tooLarge(mostBytes);
  const growing = new GrowingBytes(body.getReader(), mostBytes, declared >= 0 ? declared : 0);
  if (declared >= 0) return { size: declared, read: () => growing.read(Infinity) };
  const begun = await growing.read(UNDECLARED_BYTES);
  const size = growing.isWhole ? begun.length : mostBytes;
  return { size, read: () => growing.read(Infinity) };
}

/** The bytes read of a body. The buffer grows by doubling: with chunks, memory would hold it twice. */
class GrowingBytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #mostBytes: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  isWhole = false;

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>, mostBytes: number, expected: number) {
    this.#reader = reader;
    this.#mostBytes = mostBytes;
    this.#bytes = new Uint8Array(expected);
  }

  /** Reads until there is more than `enough`, or the body ends. */
  async read(enough: number): Promise<Uint8Array<ArrayBuffer>> {
    let isLate = false;
    const late = (): void => {
      isLate = true;
      this.#cancel();
    };
    const timer = setTimeout(late, PATIENCE_MS);
    try {
      while (!this.isWhole && this.#length <= enough) {
        const { done, value } = await this.#reader.read();
        this.isWhole = done;
        if (value !== undefined) this.#append(value);
      }
    } catch (error) {
      this.#cancel();
      throw error instanceof ServiceError ? error : new ServiceError("body_incomplete");
    } finally {
      clearTimeout(timer);
    }
    if (isLate) throw new ServiceError("body_incomplete");
    return this.#bytes.subarray(0, this.#length);
  }

  #append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#mostBytes) throw tooLarge(this.#mostBytes);
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#mostBytes, Math.max(2 * this.#bytes.length, length)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  #cancel(): void {
    void this.#reader.cancel().catch(() => {});
  }
}

/**
 * Runs a function that takes this much of the isolate's memory.
 * @param owner the memory's user: no owner may have all of it
 * @throws ServiceError rate_limited before the run, if not enough memory is left.
 */
export async function holdingMemory<T>(
  c: Context<AppEnv>,
  owner: string,
  bytes: number,
  act: () => Promise<T>,
): Promise<T> {
  if (bytes <= SMALL_BYTES) return act();
  const { largeBodies, memory } = platform(c);
  const [places, now] = [Math.ceil(bytes / MIB), Date.now()];
  const within = () => memory.within(owner, now, async () => ({ done: await act() }), places);
  const outcome = await largeBodies.within(owner, now, within, places);
  if (outcome !== "full") return outcome.done;
  throw new ServiceError(
    "rate_limited",
    `The service is reading as many large requests as it can at the moment. ${TRY_AGAIN}.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

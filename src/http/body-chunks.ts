import type { Context } from "hono";
import { ServiceError } from "../shared/errors.ts";
import { declaredBytes, tooLarge } from "./bounded-body.ts";
import type { AppEnv } from "./context.ts";

/** Time within which a body must arrive, so that a slow one does not hold its memory for long. */
const PATIENCE_MS = 150_000;

/** A request's body as it arrives. */
export class BodyChunks {
  /** The size that the request declares; the limit without one. */
  readonly mostBytes: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #declared: number;
  #received = 0;
  #isLate = false;

  /** @throws ServiceError body_too_large if the request declares more than `limit`. */
  constructor(c: Context<AppEnv>, limit: number) {
    this.#declared = declaredBytes(c);
    this.mostBytes = Number.isNaN(this.#declared) ? limit : this.#declared;
    if (this.mostBytes > limit) throw tooLarge(limit);
    this.#reader = c.req.raw.body?.getReader();
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#cancel();
    }, PATIENCE_MS);
  }

  /** Returns the next bytes; null after the last. @throws ServiceError body_incomplete, body_too_large. */
  async next(): Promise<Uint8Array | null> {
    const value = await this.#read();
    if (value === undefined) {
      if (this.#isLate || this.#received < this.#declared) throw new ServiceError("body_incomplete");
      return null;
    }
    this.#received += value.length;
    if (this.#received > this.mostBytes) throw tooLarge(this.mostBytes);
    return value;
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader?.read())?.value;
    } catch {
      throw new ServiceError("body_incomplete");
    }
  }

  /** Reads no more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#cancel();
  }

  #cancel(): void {
    void this.#reader?.cancel().catch(() => {});
  }
}

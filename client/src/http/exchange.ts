import { SegmentationError } from "../errors.ts";

/**
 * The time that one request has, its answer's body included: it ends at the caller's signal, or when nothing was heard for
 * `timeoutMs`. `within` rejects then even if what it waits for never does.
 */
export class Exchange {
  readonly #control = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #ended: Promise<never>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #forward = (): void => this.#control.abort(this.#outer?.reason);

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    // No AbortSignal.any: Node keeps what it makes for as long as the caller's signal lives.
    outer?.addEventListener("abort", this.#forward);
    this.#ended = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason));
    });
    this.#ended.catch(() => {});
    this.alive();
  }

  /** For `fetch`. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Data has come: the time limit starts again, with `more` milliseconds for transfers that report no progress. */
  alive = (more = 0): void => {
    const allowedMs = this.#timeoutMs + more;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `No data received for ${Math.round(allowedMs / 1_000)} s. Try again, or raise timeoutMs.`;
      this.#control.abort(new SegmentationError("timed_out", message));
    }, allowedMs);
  };

  /** What `work` gives. @throws its failure as it is, SegmentationError `timed_out`, or the caller's reason to abort */
  async unlessOver<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#ended]);
  }

  /** What `work` gives. @throws SegmentationError `timed_out` or `connection_failed`, or the caller's reason to abort */
  async within<T>(work: Promise<T>): Promise<T> {
    try {
      return await this.unlessOver(work);
    } catch (error) {
      // What is left of the answer would keep its connection.
      this.#control.abort(error);
      this.#outer?.throwIfAborted();
      throw asSegmentationError(error);
    }
  }

  /** Ends the request if it has not ended, and forgets the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
    this.#control.abort();
  }
}

/** `fetch` and streams fail with errors of the platform's own; their messages say little, their causes more. */
function asSegmentationError(error: unknown): SegmentationError {
  if (error instanceof SegmentationError) return error;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const why = cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;
  return new SegmentationError(
    "connection_failed",
    `The connection failed: ${why}. Check the address and the network, then try again.`,
    { cause: error },
  );
}

import { messageOf, SegmentationError } from "../errors.ts";

/**
 * The time limit of one request with its answer's body: it ends at the caller's signal, or after `timeoutMs` of
 * silence. `within` rejects then even if its work never ends.
 */
export class Exchange {
  readonly #control = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #ended: Promise<never>;
  #failure: { readonly error: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #forward = (): void => this.#control.abort(this.#outer?.reason);

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    // No AbortSignal.any: Node keeps its signals for as long as the caller's signal lives.
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
    // A later end would come at once: timers count in 32 bits.
    if (allowedMs >= 2 ** 31) return;
    this.#timer = setTimeout(() => {
      const message = `No data received for ${Math.round(allowedMs / 1_000)} s. Try again, or raise timeoutMs.`;
      this.#control.abort(new SegmentationError("timed_out", message));
    }, allowedMs);
  };

  /**
   * Returns the result of `work`.
   * @throws its failure unchanged, SegmentationError `timed_out`, or the caller's reason to abort
   */
  async unlessOver<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#ended]);
  }

  /**
   * Returns the result of `work`.
   * @param explain translates errors other than this library's
   * @throws SegmentationError `timed_out` or the error of `explain`, or the caller's reason to abort
   */
  async within<T>(work: Promise<T>, explain = networkFailure): Promise<T> {
    try {
      return await this.unlessOver(work);
    } catch (error) {
      // The rest of the answer would keep its connection.
      this.#control.abort(error);
      this.#outer?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      throw error instanceof SegmentationError ? error : explain(error);
    }
  }

  /** Ends the request with a failure of the caller's own function. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#control.abort(error);
  }

  /** Ends the request if it has not ended, and forgets the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
    this.#control.abort();
  }
}

/** The failure of the network; platforms' messages say little, their causes more. */
export function networkFailure(error: unknown): SegmentationError {
  if (error instanceof SegmentationError) return error;
  return new SegmentationError(
    "connection_failed",
    `The connection failed: ${messageOf(error)}. Check the address and the network, then try again.`,
    { cause: error },
  );
}

import { messageOf, SegmentationError } from "../errors.ts";

/**
 * The time that one request has, its answer's body included: it ends at the caller's signal, or when nothing was heard for
 * `timeoutMs`. `within` rejects then even if what it waits for never does.
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
    // A later end would come at once: timers count in 32 bits.
    if (allowedMs >= 2 ** 31) return;
    this.#timer = setTimeout(() => {
      const message = `No data received for ${Math.round(allowedMs / 1_000)} s. Try again, or raise timeoutMs.`;
      this.#control.abort(new SegmentationError("timed_out", message));
    }, allowedMs);
  };

  /** What `work` gives. @throws its failure as it is, SegmentationError `timed_out`, or the caller's reason to abort */
  async unlessOver<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#ended]);
  }

  /**
   * What `work` gives. @param explain what another error than this library's means
   * @throws SegmentationError `timed_out` or what `explain` says, or the caller's reason to abort
   */
  async within<T>(work: Promise<T>, explain = networkFailure): Promise<T> {
    try {
      return await this.unlessOver(work);
    } catch (error) {
      // What is left of the answer would keep its connection.
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

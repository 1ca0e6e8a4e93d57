import { ServiceError } from "../../core/errors.ts";
import type { ImportPatience } from "../../settings.ts";

/** A failure of an import's source: what happened, and what to do. */
export const importFailed = (message: string): ServiceError => new ServiceError("import_failed", message);

/** Limits how long an import waits for its source, and ends the wait when its client disconnects. */
export class PatientWait {
  readonly #patience: ImportPatience;
  readonly #client: AbortSignal;
  readonly #begunAt = Date.now();
  #hasBegun = false;
  /** Ends the current step. */
  #interrupt: (error: ServiceError) => void = () => {};

  /** @param client aborts when nobody is waiting for the file any more */
  constructor(patience: ImportPatience, client: AbortSignal) {
    this.#patience = patience;
    this.#client = client;
    client.addEventListener("abort", () => this.#interrupt(clientGone()), { once: true });
  }

  /** The source has sent its first bytes: from now on the full silence limit applies to each next chunk. */
  begun(): void {
    this.#hasBegun = true;
  }

  /**
   * Waits for a step of the source, one at a time.
   * @throws ServiceError import_failed: the source was too slow, the client has gone, or the step failed (message `otherwise`)
   */
  async for<T>(step: Promise<T>, otherwise: string): Promise<T> {
    // A new promise per step: one that outlives its step would keep the step's bytes in memory.
    const { promise: end, reject } = Promise.withResolvers<never>();
    this.#interrupt = reject;
    if (this.#client.aborted) reject(clientGone());
    const { ms, message } = this.#limit();
    const timer = setTimeout(() => reject(importFailed(message)), ms);
    try {
      return await Promise.race([step, end]);
    } catch (error) {
      throw error instanceof ServiceError ? error : importFailed(otherwise);
    } finally {
      clearTimeout(timer);
    }
  }

  /** How long to wait for the next step, and the message if that is exceeded. */
  #limit(): { ms: number; message: string } {
    const { silenceMs, totalMs } = this.#patience;
    const now = Date.now();
    const silence = (this.#hasBegun ? now : this.#begunAt) + silenceMs - now;
    const rest = this.#begunAt + totalMs - now;
    if (silence < rest) {
      const message = `The source sent nothing for ${silenceMs / 1_000} seconds. Try again, or upload the file.`;
      return { ms: Math.max(0, silence), message };
    }
    const message = `The source did not send the whole file within ${totalMs / 1_000} seconds. Upload the file instead.`;
    return { ms: Math.max(0, rest), message };
  }
}

const clientGone = (): ServiceError =>
  importFailed("The client closed its connection before the file was stored.");

import { ServiceError } from "../../shared/errors.ts";
import type { ImportPatience } from "../../feature-settings.ts";

/** Returns the failure of an import's source, with the cause and the remedy. */
export const importFailed = (message: string): ServiceError => new ServiceError("import_failed", message);

/** Limits the wait of an import for its source, and ends the wait when its client disconnects. */
export class PatientWait {
  readonly #patience: ImportPatience;
  readonly #client: AbortSignal;
  readonly #begunAt = Date.now();
  #hasBegun = false;
  /** The current portion of the file: the bytes received, and the time that they took. */
  #portion = { bytes: 0, ms: 0 };
  /** Ends the current step. */
  #interrupt: (error: ServiceError) => void = () => {};

  /** @param client aborts when the client has disconnected */
  constructor(patience: ImportPatience, client: AbortSignal) {
    this.#patience = patience;
    this.#client = client;
    client.addEventListener("abort", () => this.#interrupt(clientGone()), { once: true });
  }

  /** Counts received bytes. From the first ones on, the full silence limit applies to each next chunk. */
  received(bytes: number): void {
    this.#hasBegun = true;
    this.#portion.bytes += bytes;
    if (this.#portion.bytes >= this.#patience.portion.bytes) this.#portion = { bytes: 0, ms: 0 };
  }

  /**
   * Waits for a step of the source, one at a time.
   * @throws ServiceError import_failed: the source was too slow, the client has gone, or the step failed (message `otherwise`)
   */
  async for<T>(step: Promise<T>, otherwise: string): Promise<T> {
    // A new promise per step: a promise that outlives its step would keep the step's bytes in memory.
    const { promise: end, reject } = Promise.withResolvers<never>();
    this.#interrupt = reject;
    if (this.#client.aborted) reject(clientGone());
    const waitsSince = Date.now();
    const { ms, message } = this.#limit(waitsSince);
    const timer = setTimeout(() => reject(importFailed(message)), ms);
    try {
      return await Promise.race([step, end]);
    } catch (error) {
      throw error instanceof ServiceError ? error : importFailed(otherwise);
    } finally {
      clearTimeout(timer);
      if (this.#hasBegun) this.#portion.ms += Date.now() - waitsSince;
    }
  }

  /** Returns the time limit of the next step, and the message if that is exceeded. */
  #limit(now: number): { ms: number; message: string } {
    const { silenceMs, totalMs, portion } = this.#patience;
    const limits = [
      {
        ms: this.#begunAt + totalMs - now,
        message: `The source did not send the whole file within ${totalMs / 1_000} seconds. Upload the file instead.`,
      },
      {
        ms: (this.#hasBegun ? now : this.#begunAt) + silenceMs - now,
        message: `The source sent nothing for ${silenceMs / 1_000} seconds. Try again, or upload the file.`,
      },
    ];
    if (this.#hasBegun) {
      limits.push({
        ms: portion.ms - this.#portion.ms,
        message: `The source sends less than ${portion.bytes / portion.ms} kB per second. Upload the file instead.`,
      });
    }
    const first = limits.reduce((a, b) => (b.ms < a.ms ? b : a));
    return { ...first, ms: Math.max(0, first.ms) };
  }
}

const clientGone = (): ServiceError =>
  importFailed("The client closed its connection before the file was stored.");

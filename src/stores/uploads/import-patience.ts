import { ServiceError } from "../../core/errors.ts";
import type { ImportPatience } from "../../settings.ts";

/** A failure of an import's source: what happened, and what to do. */
export const importFailed = (message: string): ServiceError => new ServiceError("import_failed", message);

/** Bounds how long an import waits for its source, and ends the wait when its client goes away. */
export class PatientWait {
  readonly #patience: ImportPatience;
  readonly #client: AbortSignal;
  readonly #begunAt = Date.now();
  #hasBegun = false;
  /** Ends the step that is under way. */
  #interrupt: (error: ServiceError) => void = () => {};

  /** @param client aborts when nobody waits for the file any more */
  constructor(patience: ImportPatience, client: AbortSignal) {
    this.#patience = patience;
    this.#client = client;
    client.addEventListener("abort", () => this.#interrupt(clientGone()), { once: true });
  }

  /** The source has sent its first bytes: from now on it has the whole time of silence before each next ones. */
  begun(): void {
    this.#hasBegun = true;
  }

  /**
   * Waits for a step of the source. Steps follow each other.
   * @throws ServiceError import_failed: it was too slow, or the client has gone, or it failed, of which `otherwise` is the message
   */
  async for<T>(step: Promise<T>, otherwise: string): Promise<T> {
    // One for each step: whatever outlives a step would keep its bytes in memory.
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

  /** For how long the next step is waited for, and what it means if that was too short. */
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

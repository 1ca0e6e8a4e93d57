import { log, reasonOf } from "../log.ts";

/** The period of both limiters in wrangler.toml: after it, a caller over the rate has the full rate again. */
export const RATE_PERIOD_SECONDS = 60;

/** Counts requests with one of Cloudflare's rate limiters; wrangler.toml has the rate and its period. */
export class RequestRate {
  readonly #limiter: RateLimit;

  constructor(limiter: RateLimit) {
    this.#limiter = limiter;
  }

  /**
   * Counts a request of `key`, an account or the owner of an address. Returns true if it is within the rate, or if the limiter
   * does not answer.
   */
  async admits(key: string): Promise<boolean> {
    try {
      const { success } = await this.#limiter.limit({ key });
      return success;
    } catch (error) {
      log("error", "rate_unknown", { reason: reasonOf(error) });
      return true;
    }
  }
}

import { log, reasonOf } from "../core/log.ts";

/** Counts each account's requests with Cloudflare's rate limiter; wrangler.toml has the rate and its period. */
export class RequestRate {
  readonly #limiter: RateLimit;

  constructor(limiter: RateLimit) {
    this.#limiter = limiter;
  }

  /** Counts a request and says whether it is within the rate. A limiter that does not answer refuses nobody. */
  async admits(accountId: string): Promise<boolean> {
    try {
      const { success } = await this.#limiter.limit({ key: accountId });
      return success;
    } catch (error) {
      log("error", "rate_unknown", { account: accountId, reason: reasonOf(error) });
      return true;
    }
  }
}

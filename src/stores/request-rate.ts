import { log, reasonOf } from "../core/log.ts";

/** Counts each account's requests, by Cloudflare's rate limiter: the rate and its period stand in wrangler.toml. */
export class RequestRate {
  readonly #limiter: RateLimit;

  constructor(limiter: RateLimit) {
    this.#limiter = limiter;
  }

  /** Counts a request; whether it is within the rate. A limiter that does not answer refuses nobody. */
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

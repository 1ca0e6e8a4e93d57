import { createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from "jose";
import { ServiceError } from "../../shared/errors.ts";
import { readAtMost } from "../../shared/read-at-most.ts";
import { log, reasonOf } from "../../shared/log.ts";

const TIMEOUT_MS = 5_000;
/** Keys are fetched again after this time. A key that the provider withdrew is refused by then. */
const MAX_AGE_MS = 10 * 60_000;
/** No fetch follows a failed one for this time. */
const PAUSE_MS = 5_000;
/** Unknown keys may cause this many fetches at once, and then one per interval: a stranger can invent a key's id. */
const MOST_LOOKUPS = 3;
const LOOKUP_INTERVAL_MS = 5_000;
/** A key set takes a few kilobytes. */
const MAX_BYTES = 256 * 1024;

type KeyRequest = Parameters<LocalJWKSet>;
type Key = Awaited<ReturnType<LocalJWKSet>>;

/** Fetches a key set. Redirects are not followed. @throws an Error if the answer is not a set with a key for signatures. */
async function fetchKeys(url: string): Promise<LocalJWKSet> {
  const response = await fetch(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: "application/json, application/jwk-set+json" },
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`the endpoint of the key set answered ${response.status}`);
  }
  const bytes = await readAtMost(response.body, MAX_BYTES);
  if (bytes === null) throw new Error("the set of keys is too large");
  const set: JSONWebKeySet = JSON.parse(new TextDecoder().decode(bytes));
  const keys = createLocalJWKSet(set);
  if (set.keys.every(({ use }) => use === "enc")) throw new Error("the set has no key for signatures");
  return keys;
}

const unavailable = (waitMs: number): ServiceError =>
  new ServiceError("identity_provider_unavailable", undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

const logFailure = (error: unknown): void =>
  log("error", "identity_provider_unavailable", { reason: reasonOf(error) });

/** The published keys of an identity provider, cached. All requests of an isolate share one fetch. */
export class KeySet {
  readonly #url: string;
  readonly #outageMs: number;
  readonly #keep: (work: Promise<void>) => void;

  #keys: LocalJWKSet | null = null;
  #fetchedAt = -Infinity;
  #failedAt = -Infinity;
  /** The number of fetches begun so far, and the number of the fetch that brought the keys. */
  #begun = 0;
  #from = 0;
  #fetching: { readonly until: number; readonly wake: Set<() => void> } | null = null;
  /** Time until which the fetches for unknown keys have used up the intervals. */
  #spentUntil = 0;

  /**
   * @param outageMs how much longer than MAX_AGE_MS the keys are used while they cannot be fetched
   * @param keep lets work run to its end if the request that began it ends first
   */
  constructor(url: string, outageMs: number, keep: (work: Promise<void>) => void) {
    this.#url = url;
    this.#outageMs = outageMs;
    this.#keep = keep;
  }

  /**
   * Returns the key that a token's header names. Fetches the keys if they are too old or lack it.
   * @throws JWKSNoMatchingKey if a fetch that began after this call did not bring the key, JWKSMultipleMatchingKeys;
   * ServiceError identity_provider_unavailable if only a fetch could tell, and it fails or has to wait.
   */
  async find(...request: KeyRequest): Promise<Key> {
    const seen = this.#begun;
    if (Date.now() >= this.#fetchedAt + MAX_AGE_MS) {
      const isOutage = this.#failedAt > this.#fetchedAt;
      const refreshed = this.#pauseMs() > 0 ? null : this.#fetch();
      // In an outage the known keys are used while the next attempt is in progress.
      if (!isOutage || !this.#mayUse()) await refreshed;
    }
    while (this.#mayUse()) {
      const key = await this.#known(request);
      if (key !== null) return key;
      if (this.#from > seen) throw new errors.JWKSNoMatchingKey();
      await this.#lookUp();
    }
    throw unavailable(this.#pauseMs());
  }

  #mayUse(): boolean {
    return Date.now() < this.#fetchedAt + MAX_AGE_MS + this.#outageMs;
  }

  /** Returns the time until the next fetch may begin after a failed one. */
  #pauseMs(): number {
    return Math.max(0, this.#failedAt + PAUSE_MS - Date.now());
  }

  /** Returns the cached key; null if there is none. @throws JWKSMultipleMatchingKeys, ServiceError for an unreadable key. */
  async #known(request: KeyRequest): Promise<Key | null> {
    try {
      return (await this.#keys?.(...request)) ?? null;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return null;
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      logFailure(error);
      throw unavailable(PAUSE_MS);
    }
  }

  /** Fetches the keys for an unknown one, or joins the current fetch. @throws ServiceError. */
  async #lookUp(): Promise<void> {
    const now = Date.now();
    if (this.#pauseMs() > 0) throw unavailable(this.#pauseMs());
    if (!this.#isFetching(now)) {
      const spentUntil = Math.max(this.#spentUntil, now) + LOOKUP_INTERVAL_MS;
      const excessMs = spentUntil - now - MOST_LOOKUPS * LOOKUP_INTERVAL_MS;
      if (excessMs > 0) throw unavailable(excessMs);
      this.#spentUntil = spentUntil;
    }
    const failedAt = this.#failedAt;
    await this.#fetch();
    if (this.#failedAt > failedAt) throw unavailable(this.#pauseMs());
  }

  #isFetching(now: number): boolean {
    return this.#fetching !== null && now < this.#fetching.until;
  }

  /**
   * Resolves at the end of the current fetch, or begins one. Never rejects: the fields hold the outcome.
   *
   * The promise and its timer belong to the calling request, because the platform forbids one request to wait for the input and
   * output of another. The platform may end the request that fetches without running more of its code: hence the timer.
   */
  #fetch(): Promise<void> {
    const now = Date.now();
    if (this.#fetching === null || now >= this.#fetching.until) {
      const begun = { until: now + TIMEOUT_MS + 1_000, wake: new Set<() => void>() };
      this.#fetching = begun;
      this.#keep(
        this.#load().finally(() => {
          if (this.#fetching === begun) this.#fetching = null;
          for (const wake of begun.wake) wake();
        }),
      );
    }
    const { until, wake } = this.#fetching;
    let timer: ReturnType<typeof setTimeout>;
    return new Promise<void>((resolve) => {
      timer = setTimeout(resolve, until - now);
      wake.add(resolve);
    }).finally(() => clearTimeout(timer));
  }

  async #load(): Promise<void> {
    this.#begun += 1;
    const number = this.#begun;
    try {
      const keys = await fetchKeys(this.#url);
      if (number < this.#from) return;
      [this.#keys, this.#from, this.#fetchedAt] = [keys, number, Date.now()];
    } catch (error) {
      this.#failedAt = Date.now();
      logFailure(error);
    }
  }
}

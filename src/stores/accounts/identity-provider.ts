import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from "jose";
import { ServiceError } from "../../core/errors.ts";
import { readAtMost } from "../../core/lib/read-at-most.ts";
import { log, reasonOf } from "../../core/log.ts";
import type { IdentitySettings } from "../../settings.ts";

const TIMEOUT_MS = 5_000;
/** Keys are fetched again after this time, so that a key withdrawn by the provider is refused by then. */
const MAX_AGE_MS = 10 * 60_000;
/** How often within the window an unknown key may trigger another fetch. */
const MOST_REFETCHES = 3;
const REFETCH_WINDOW_MS = 30_000;
/** A key set takes a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const RETRY_SECONDS = 5;

/** `typ` of an access token: RFC 9068's, the general one, or none. A token for another purpose has another `typ`. */
const TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

interface KeySet {
  readonly keys: RemoteJWKSet;
  windowBegun: number;
  refetches: number;
  /** Why the last fetch failed; null if it did not. */
  failure: unknown;
}

function newKeySet(url: string): KeySet {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: MAX_AGE_MS,
    // Limited below instead: jose's cooldown would refuse a key that appeared within it.
    cooldownDuration: Infinity,
    [customFetch]: fetchBounded,
  });
  return { keys, windowBegun: 0, refetches: 0, failure: null };
}

/** Fetches no more than the size limit of a key set. Redirects are not followed, as jose requests. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`the endpoint of the key set answered ${response.status}`);
  }
  const bytes = await readAtMost(response.body, MAX_BYTES);
  if (bytes === null) throw new Error("the set of keys is too large");
  return new Response(bytes);
}

/** Whether an unknown key may trigger a fetch now: forged tokens must not make us flood the provider with requests. */
function mayRefetch(set: KeySet, now: number): boolean {
  if (now >= set.windowBegun + REFETCH_WINDOW_MS) {
    set.windowBegun = now;
    set.refetches = 0;
  }
  set.refetches += 1;
  return set.refetches <= MOST_REFETCHES;
}

/** The identity provider, by its published keys, which this object caches. */
export class IdentityProvider {
  readonly #settings: IdentitySettings;
  readonly #keySet: KeySet;

  constructor(settings: IdentitySettings) {
    this.#settings = settings;
    this.#keySet = newKeySet(settings.jwksUrl);
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** The key that a token's header names. */
  async #key(...[header, token]: Parameters<RemoteJWKSet>): ReturnType<RemoteJWKSet> {
    const set = this.#keySet;
    try {
      return await set.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // If the last fetch failed, only another one would show whether such a key exists.
      if (!mayRefetch(set, Date.now())) throw set.failure ?? error;
      set.failure = await set.keys.reload().then(
        () => null,
        (failure: unknown) => failure,
      );
      if (set.failure !== null) throw set.failure;
      return set.keys(header, token);
    }
  }

  /**
   * The claims of an access token that is signed by a published key of the issuer with an allowed algorithm, is meant for the
   * audience and is valid now; null otherwise.
   * @throws ServiceError identity_provider_unavailable if the keys cannot be fetched.
   */
  async verify(token: string): Promise<JWTPayload | null> {
    const { issuer, audience, algorithms, clockToleranceSeconds } = this.#settings;
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        (header, jws) =>
          this.#key(header, jws).catch((error: unknown) => {
            throw keyError(error);
          }),
        {
          issuer,
          audience,
          algorithms: [...algorithms],
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ["exp"],
        },
      );
      return TOKEN_TYPES.has(protectedHeader.typ?.toLowerCase()) ? payload : null;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

/** Why there is no key: the token names none of the provider's keys, or the keys could not be fetched. */
function keyError(error: unknown): unknown {
  const isTokensFault =
    error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
  if (isTokensFault) return error;
  log("error", "identity_provider_unavailable", { reason: reasonOf(error) });
  return new ServiceError("identity_provider_unavailable", undefined, { retryAfterSeconds: RETRY_SECONDS });
}

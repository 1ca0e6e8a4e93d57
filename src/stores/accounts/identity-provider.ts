import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from "jose";
import { ServiceError } from "../../core/errors.ts";
import { log, reasonOf } from "../../core/log.ts";
import type { IdentitySettings } from "../../settings.ts";

const TIMEOUT_MS = 5_000;
/** Keys are fetched again after this time, so that a key that the provider withdrew is refused by then. */
const MAX_AGE_MS = 10 * 60_000;
/** How often within the window an unknown key may make us fetch the keys again. */
const LOOKS = 3;
const LOOKS_WINDOW_MS = 30_000;
/** A set of keys takes a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const RETRY_SECONDS = 5;

/** `typ` of an access token: RFC 9068's, the general one, or none. A token for another purpose has another `typ`. */
const TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

interface KeySet {
  readonly keys: RemoteJWKSet;
  windowBegun: number;
  looks: number;
  /** Why the last fetch failed; null if it did not. */
  failure: unknown;
}

function newKeySet(url: string): KeySet {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: MAX_AGE_MS,
    // Decided below: jose's cooldown alone would refuse a key that appeared within it.
    cooldownDuration: Infinity,
    [customFetch]: fetchBounded,
  });
  return { keys, windowBegun: 0, looks: 0, failure: null };
}

/** Fetches no more than a set of keys can have. Redirects are not followed: jose asks for that. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`the set of keys answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error("the set of keys is too large");
    chunks.push(chunk);
  }
  return new Response(new Blob(chunks));
}

/** Whether an unknown key may be fetched now: forged tokens must not make us flood the provider with requests. */
function mayLook(set: KeySet, now: number): boolean {
  if (now >= set.windowBegun + LOOKS_WINDOW_MS) {
    set.windowBegun = now;
    set.looks = 0;
  }
  set.looks += 1;
  return set.looks <= LOOKS;
}

/** The identity provider, by the keys it publishes, which this object keeps. */
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
      // If the last fetch failed, nobody can tell without another whether such a key exists.
      if (!mayLook(set, Date.now())) throw set.failure ?? error;
      set.failure = await set.keys.reload().then(
        () => null,
        (failure: unknown) => failure,
      );
      if (set.failure !== null) throw set.failure;
      return set.keys(header, token);
    }
  }

  /**
   * The claims of an access token: signed by the issuer's published key with an allowed algorithm, meant for the audience,
   * valid now; null if it is not.
   * @throws ServiceError identity_provider_unavailable if the keys can't be fetched, so that nobody can tell.
   */
  async verify(token: string): Promise<JWTPayload | null> {
    const { issuer, audience, algorithms, clockToleranceSeconds } = this.#settings;
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async (header, jws) => {
          try {
            return await this.#key(header, jws);
          } catch (error) {
            throw keyError(error);
          }
        },
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
  const ofTheToken =
    error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
  if (ofTheToken) return error;
  log("error", "identity_provider_unavailable", { reason: reasonOf(error) });
  return new ServiceError("identity_provider_unavailable", undefined, { retryAfterSeconds: RETRY_SECONDS });
}

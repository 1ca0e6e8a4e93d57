import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from "jose";
import { ServiceError } from "../core/errors.ts";
import { log, reasonOf } from "../core/log.ts";
import type { IdentitySettings } from "../settings.ts";

const TIMEOUT_MS = 5_000;
/** Keys are fetched again after this long: one that the provider withdrew is refused by then. */
const MAX_AGE_MS = 10 * 60_000;
/** A key that is not among those at hand is looked for again, at most so often within the window. */
const LOOKS = 3;
const LOOKS_WINDOW_MS = 30_000;
/** A set of keys has a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const RETRY_SECONDS = 5;

/** `typ` of an access token: RFC 9068's own, the general one, or none. A token for another purpose says so by its `typ`. */
const TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

interface KeySet {
  readonly keys: RemoteJWKSet;
  windowBegun: number;
  looks: number;
  /** Why the last look failed; null where it did not. */
  failure: unknown;
}

/** At module scope, since the keys are to outlive a request. */
const keySets = new Map<string, KeySet>();

function keySetOf(url: string): KeySet {
  const known = keySets.get(url);
  if (known !== undefined) return known;
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: MAX_AGE_MS,
    // Whether to look again is decided below: with jose's cooldown alone a key that is new within it would be refused.
    cooldownDuration: Infinity,
    [customFetch]: fetchBounded,
  });
  const made = { keys, windowBegun: 0, looks: 0, failure: null };
  keySets.set(url, made);
  return made;
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

/** Whether an unknown key may be looked for now: forged tokens must not make us storm the provider. */
function mayLook(set: KeySet, now: number): boolean {
  if (now >= set.windowBegun + LOOKS_WINDOW_MS) {
    set.windowBegun = now;
    set.looks = 0;
  }
  set.looks += 1;
  return set.looks <= LOOKS;
}

/** The identity provider, by the keys it publishes. */
export class IdentityProvider {
  readonly #settings: IdentitySettings;

  constructor(settings: IdentitySettings) {
    this.#settings = settings;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** The key that a token's header names. */
  async #key(...[header, token]: Parameters<RemoteJWKSet>): ReturnType<RemoteJWKSet> {
    const set = keySetOf(this.#settings.jwksUrl);
    try {
      return await set.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Without a look nobody can tell whether there is such a key, if the last one told nothing.
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
   * in force by the clock; null where it is not.
   * @throws ServiceError identity_provider_unavailable where the keys can't be had: then nobody can tell.
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

/** Why there is no key: the token names none of the provider's, or else the provider's could not be had. */
function keyError(error: unknown): unknown {
  const ofTheToken =
    error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
  if (ofTheToken) return error;
  log("error", "identity_provider_unavailable", { reason: reasonOf(error) });
  return new ServiceError("identity_provider_unavailable", undefined, { retryAfterSeconds: RETRY_SECONDS });
}

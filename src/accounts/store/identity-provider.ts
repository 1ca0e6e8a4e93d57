import { errors, jwtVerify, type JWTPayload } from "jose";
import { ServiceError } from "../../shared/errors.ts";
import type { IdentitySettings } from "../../feature-settings.ts";
import { KeySet } from "./key-set.ts";

const OUTAGE_SECONDS = 3_600;

/** `typ` of an access token: RFC 9068's, the general one, or none. A token for another purpose has another `typ`. */
const TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

/** The identity provider, by its published keys, which this object caches. */
export class IdentityProvider {
  readonly #settings: IdentitySettings;
  readonly #keys: KeySet;

  /** @param keep lets a fetch run to its end if the request that began it ends first */
  constructor(settings: IdentitySettings, keep: (work: Promise<void>) => void = () => {}) {
    const { jwksUrl, outageSeconds = OUTAGE_SECONDS } = settings;
    this.#settings = settings;
    this.#keys = new KeySet(jwksUrl, outageSeconds * 1_000, keep);
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /**
   * Returns the claims of an access token that is signed by a published key of the issuer with an allowed algorithm, is meant for
   * the audience and is valid now; null for a token that can never be valid.
   * @throws ServiceError identity_provider_unavailable if the keys cannot be fetched, and Unauthorized if the provider publishes
   * no such key: it may publish it soon.
   */
  async verify(token: string): Promise<JWTPayload | null> {
    const { issuer, audience, algorithms, clockToleranceSeconds } = this.#settings;
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        (header, jws) => this.#keys.find(header, jws),
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
      if (error instanceof errors.JWKSNoMatchingKey) throw new ServiceError("Unauthorized");
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

import {
  base64url,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from "jose";
import { vi } from "vitest";
import { home } from "../runtime/databases.ts";
import { type Answer, send } from "./api.ts";

/** getAccount with a credential. */
export const accountBy = (token: string): Promise<Answer> =>
  send("GET", "/v1/account", { headers: { authorization: `Bearer ${token}` } });

/** As worker-project.ts sets them. */
export const ISSUER = "https://identity.test";
export const AUDIENCE = "https://api.test";
export const JWKS_URL = "https://identity.test/jwks";

/** A key of the provider: the private part that signs, and the public part that it publishes. */
export interface ProviderKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

let keysMade = 0;

/** A new key pair; it is published only if a test does so. */
export async function newProviderKey(alg = "ES256"): Promise<ProviderKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  keysMade += 1;
  const kid = `key-${keysMade}`;
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** Returns the claims of a valid access token, for a new person. */
export const goodClaims = (): JWTPayload => {
  const now = Math.floor(Date.now() / 1_000);
  const sub = crypto.randomUUID();
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub,
    iat: now,
    exp: now + 300,
    email: `${sub}@example.com`,
    email_verified: true,
    name: "Ada",
    picture: "https://pictures.test/ada.png",
  };
};

/** The identity provider, faked by a test: it signs tokens, and serves its keys to the Worker. Nothing else can be fetched. */
export class FakeIdentityProvider {
  /** The key that signs the next tokens. */
  key: ProviderKey;
  /** Number of the Worker's fetches of the keys. */
  fetches = 0;
  /** The answer to the next fetches. */
  answer: (init?: RequestInit) => Response | Promise<Response>;

  private constructor(key: ProviderKey) {
    this.key = key;
    this.answer = () => Response.json({ keys: [this.key.jwk] });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const { url } = new Request(input);
      if (url !== JWKS_URL) throw new Error(`a test reached for ${url}`);
      this.fetches += 1;
      return this.answer(init);
    });
  }

  static async start(alg?: string): Promise<FakeIdentityProvider> {
    return new FakeIdentityProvider(await newProviderKey(alg));
  }

  /** Signs a token: valid except for the changes; a claim or parameter set to undefined is left out. */
  async issue(
    changes: Record<string, unknown> = {},
    { header = {}, key = this.key }: { header?: Partial<JWTHeaderParameters>; key?: ProviderKey } = {},
  ): Promise<string> {
    return new SignJWT({ ...goodClaims(), ...changes })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
      .sign(key.privateKey);
  }
}

/** Returns a JWT assembled by hand. */
export const rawToken = (header: object, claims: object, signature = ""): string =>
  [header, claims]
    .map((part) => base64url.encode(JSON.stringify(part)))
    .concat(signature)
    .join(".");

export const accountCount = async (): Promise<number> =>
  (await home.DB.prepare("SELECT count(*) AS n FROM accounts").first<number>("n")) ?? 0;

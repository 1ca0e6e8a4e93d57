import { base64url, errors } from "jose";

/** The service's secrets, from which a key is derived for each purpose. */
export interface Secrets {
  /** Seals and signs. */
  readonly current: string;
  /** Secret that only opens and verifies; null without one. */
  readonly previous: string | null;
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

/** The key of a secret for one purpose: 256 bits by HKDF with SHA-256 (RFC 5869). No other purpose's key can be derived from it. */
export async function deriveKey(secret: string, purpose: string): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveBits"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytesOf(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(derivation, material, 256));
}

/** 72 bits distinguish an operator's few secrets. */
const ID_BYTES = 9;

/** Returns the key id: it names a secret in everything that the secret seals and signs, without revealing it. */
export const keyIdOf = async (secret: string): Promise<string> =>
  base64url.encode((await deriveKey(secret, "key id")).subarray(0, ID_BYTES));

/** Finds the key for one purpose of the secret that a header names. @throws JOSEError if it is not one of ours */
export const keyFinder =
  ({ current, previous }: Secrets, purpose: string) =>
  async ({ kid }: { readonly kid?: string }): Promise<Uint8Array> => {
    for (const secret of [current, previous])
      if (secret !== null && kid === (await keyIdOf(secret))) return deriveKey(secret, purpose);
    throw new errors.JWKSNoMatchingKey();
  };

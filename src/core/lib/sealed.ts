import { CompactEncrypt, compactDecrypt, errors } from "jose";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A separate key for each purpose (HKDF, RFC 5869): a text sealed for one purpose cannot be opened for another. */
async function keyFor(secret: string, purpose: string): Promise<Uint8Array> {
  const material = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveBits"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytesOf(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(derivation, material, 256));
}

/** Encrypts a text for storage (JWE, A256GCM). Decrypting it takes the same secret and purpose. */
export async function seal(secret: string, purpose: string, text: string): Promise<string> {
  return new CompactEncrypt(bytesOf(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(await keyFor(secret, purpose));
}

/** The decrypted text, or null if the secret or the purpose differs, or the sealed text was changed. */
export async function unseal(secret: string, purpose: string, sealed: string): Promise<string | null> {
  try {
    const { plaintext } = await compactDecrypt(sealed, await keyFor(secret, purpose), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from "jose";
import { bytesOf, deriveKey, keyFinder, keyIdOf, type Secrets } from "./keys.ts";

/** Encrypts a string for storage (JWE, A256GCM, with the key's id), by a key for this purpose alone. */
export async function seal({ current }: Secrets, purpose: string, text: string): Promise<string> {
  return new CompactEncrypt(bytesOf(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: await keyIdOf(current) })
    .encrypt(await deriveKey(current, purpose));
}

/** Returns the decrypted string, or null if none of the secrets sealed it, the purpose differs, or it was changed. */
export async function unseal(secrets: Secrets, purpose: string, sealed: string): Promise<string | null> {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyFinder(secrets, purpose), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** Returns true if the current secret has sealed a string. Does not check if the string was changed. */
export const isSealedByCurrent = async ({ current }: Secrets, sealed: string): Promise<boolean> =>
  decodeProtectedHeader(sealed).kid === (await keyIdOf(current));

import { jwtVerify, SignJWT, errors, type JWTPayload } from "jose";
import { z } from "zod";
import { sha256Hex } from "./digest.ts";
import { deriveKey, keyFinder, keyIdOf, type Secrets } from "./keys.ts";

/** A token's purpose: a token for one purpose is invalid for another. */
export type Purpose = "lease" | "cursor";

const keyPurpose = (purpose: Purpose): string => `token ${purpose}`;

/**
 * Signs claims for one purpose (JWT, HS256, with the key's id), by a key for this purpose alone. `expiresAt` is epoch
 * milliseconds; without it the token does not expire.
 */
export async function signToken(
  { current }: Secrets,
  purpose: Purpose,
  claims: JWTPayload,
  expiresAt?: number,
): Promise<string> {
  const header = { alg: "HS256", kid: await keyIdOf(current) };
  const token = new SignJWT(claims).setProtectedHeader(header).setAudience(purpose);
  if (expiresAt !== undefined) token.setExpirationTime(Math.ceil(expiresAt / 1000));
  return token.sign(await deriveKey(current, keyPurpose(purpose)));
}

/**
 * Returns the claims of a token that one of the secrets signed for this purpose, or null if it is forged, expired or for another
 * purpose.
 */
export async function verifyToken(
  secrets: Secrets,
  purpose: Purpose,
  token: string,
): Promise<JWTPayload | null> {
  try {
    const key = keyFinder(secrets, keyPurpose(purpose));
    const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"], audience: purpose });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** Identifies a list by its account, filters and kind: a cursor is valid only for the list that issued it. */
export type ListName = readonly (string | null)[];

const Claims = z.object({ after: z.string(), of: z.string() });

const fingerprint = (list: ListName): Promise<string> => sha256Hex(JSON.stringify(list));

/** The opaque cursor of the page that begins after the item with the id `after`. */
export async function encodeCursor(secrets: Secrets, list: ListName, after: string): Promise<string> {
  return signToken(secrets, "cursor", { after, of: await fingerprint(list) });
}

/** The id after which the page begins; null if the cursor is forged or belongs to another list. */
export async function decodeCursor(secrets: Secrets, list: ListName, cursor: string): Promise<string | null> {
  const claims = Claims.safeParse(await verifyToken(secrets, "cursor", cursor));
  return claims.success && claims.data.of === (await fingerprint(list)) ? claims.data.after : null;
}

import { jwtVerify, SignJWT, errors, type JWTPayload } from "jose";
import { z } from "zod";
import { sha256Hex } from "./digest.ts";

/** What a token is for: a token for one purpose is invalid for another. */
export type Purpose = "lease" | "cursor";

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret);

/**
 * Signs claims for one purpose (JWT, HS256). `expiresAt` is epoch milliseconds; without it the token does not expire.
 */
export async function signToken(
  secret: string,
  purpose: Purpose,
  claims: JWTPayload,
  expiresAt?: number,
): Promise<string> {
  const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setAudience(purpose);
  if (expiresAt !== undefined) token.setExpirationTime(Math.ceil(expiresAt / 1000));
  return token.sign(keyOf(secret));
}

/** The claims of a token signed for this purpose, or null if it is forged, expired or for another purpose. */
export async function verifyToken(
  secret: string,
  purpose: Purpose,
  token: string,
): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), { algorithms: ["HS256"], audience: purpose });
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
export async function encodeCursor(secret: string, list: ListName, after: string): Promise<string> {
  return signToken(secret, "cursor", { after, of: await fingerprint(list) });
}

/** The id after which the page begins; null if the cursor is forged or belongs to another list. */
export async function decodeCursor(secret: string, list: ListName, cursor: string): Promise<string | null> {
  const claims = Claims.safeParse(await verifyToken(secret, "cursor", cursor));
  return claims.success && claims.data.of === (await fingerprint(list)) ? claims.data.after : null;
}

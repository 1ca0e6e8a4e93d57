import { jwtVerify, SignJWT, errors, type JWTPayload } from "jose";

/** What a token is for: a token for one purpose is worthless for another. */
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

/** The claims of a token that was signed for this purpose, or null if it is forged, expired or for another purpose. */
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

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../../core/errors.ts";
import { readLeaseToken } from "../../core/jobs/lease.ts";
import { type Caller, callerOf } from "../../services/authenticate.ts";
import { secretsOf } from "../../settings.ts";
import { platform, type AppEnv } from "../context.ts";

/** No valid credential is longer. */
const MAX_HEADER_LENGTH = 16_384;

/** The credential of `Authorization: Bearer <credential>` (RFC 6750, 2.1). @throws ServiceError Unauthorized. */
function bearerCredential(c: Context<AppEnv>): string {
  const header = c.req.header("authorization") ?? "";
  const credential =
    header.length <= MAX_HEADER_LENGTH ? /^Bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] : undefined;
  if (credential === undefined) throw new ServiceError("Unauthorized");
  return credential;
}

/**
 * The password of `Authorization: Basic …` (RFC 7617), whatever the user's name: for tools that send no other credential.
 * @throws ServiceError Unauthorized.
 */
export function basicPassword(c: Context<AppEnv>): string {
  const header = c.req.header("authorization") ?? "";
  const encoded =
    header.length <= MAX_HEADER_LENGTH ? /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] : undefined;
  if (encoded === undefined || encoded.length % 4 === 1) throw new ServiceError("Unauthorized");
  const pair = atob(encoded);
  return pair.slice(pair.indexOf(":") + 1);
}

/**
 * Who makes the request, by an API key or an access token.
 * @param shownJob the job that the request is about, if the link of a share that shows it may make it
 * @throws ServiceError Unauthorized, and as the service.
 */
export async function authenticate(
  c: Context<AppEnv>,
  credential = bearerCredential(c),
  shownJob?: string,
): Promise<Caller> {
  const address = c.req.header("cf-connecting-ip") ?? null;
  const caller = await callerOf(platform(c), credential, address, shownJob);
  if (caller === null) throw new ServiceError("Unauthorized");
  return caller;
}

const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));

/**
 * Admits the operator, by the setting OPERATOR_TOKEN. Without it there is no operator's API.
 * The comparison takes the same time wherever the two differ.
 */
export const authenticateOperator = createMiddleware<AppEnv>(async (c, next) => {
  const { OPERATOR_TOKEN: token } = platform(c).settings;
  if (token === undefined) throw new ServiceError("not_found");
  const [given, expected] = await Promise.all([digest(bearerCredential(c)), digest(token)]);
  if (!crypto.subtle.timingSafeEqual(given, expected)) throw new ServiceError("Unauthorized");
  await next();
});

/** Admits the holder of a lease, by the token that was signed for it. */
export const authenticateLease = createMiddleware<AppEnv>(async (c, next) => {
  const lease = await readLeaseToken(secretsOf(platform(c).settings), bearerCredential(c));
  if (lease === null) throw new ServiceError("Unauthorized");
  c.set("lease", lease);
  await next();
});

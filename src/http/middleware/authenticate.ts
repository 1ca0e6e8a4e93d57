import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../../shared/errors.ts";
import { readLeaseToken } from "../../jobs/rules/lease.ts";
import { type Caller, callerOf } from "../../accounts/operations/authenticate.ts";
import { secretsOf } from "../../feature-settings.ts";
import { platform, type AppEnv } from "../context.ts";

/** No valid credential is longer. */
const MAX_HEADER_LENGTH = 16_384;

/** Returns the credential of an `Authorization: Bearer <credential>` header (RFC 6750, 2.1); null if it has none. */
const bearerOf = (header: string): string | null =>
  (header.length <= MAX_HEADER_LENGTH ? /^Bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] : undefined) ?? null;

/**
 * Returns the credential of a customer's request; null if the header has none. `Authorization` decides; `x-api-key` counts
 * only without it.
 * @throws ServiceError Unauthorized if the request has neither header.
 */
function customerCredential(c: Context<AppEnv>): string | null {
  const [authorization, key] = [c.req.header("authorization"), c.req.header("x-api-key")];
  if (authorization !== undefined) return bearerOf(authorization);
  if (key === undefined) throw new ServiceError("Unauthorized");
  return key.length <= MAX_HEADER_LENGTH ? key : null;
}

/**
 * Returns the password of `Authorization: Basic …` (RFC 7617), with any user name, for tools that send no other credential;
 * null if the header has none.
 * @throws ServiceError Unauthorized if the request has no such header.
 */
export function basicPassword(c: Context<AppEnv>): string | null {
  const header = c.req.header("authorization");
  if (header === undefined) throw new ServiceError("Unauthorized");
  const encoded =
    header.length <= MAX_HEADER_LENGTH ? /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] : undefined;
  if (encoded === undefined || encoded.length % 4 === 1) return null;
  const pair = atob(encoded);
  return pair.slice(pair.indexOf(":") + 1);
}

/**
 * Returns the caller of a request, by an API key or an access token.
 * @param credential null for a header that has none
 * @param shownJob the job that the request is about, if the link of a share that shows it may make it
 * @throws ServiceError Unauthorized, and as the service.
 */
export async function authenticate(
  c: Context<AppEnv>,
  credential: string | null = customerCredential(c),
  shownJob?: string,
): Promise<Caller> {
  const address = c.req.header("cf-connecting-ip") ?? null;
  const caller = await callerOf(platform(c), credential, address, shownJob);
  if (caller === null) throw new ServiceError("Unauthorized");
  return caller;
}

/** Returns the bearer credential of an operator's or a lease's request. @throws ServiceError Unauthorized. */
function bearerCredential(c: Context<AppEnv>): string {
  const credential = bearerOf(c.req.header("authorization") ?? "");
  if (credential === null) throw new ServiceError("Unauthorized");
  return credential;
}

const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));

/**
 * Admits the operator, by the setting OPERATOR_TOKEN. Without it there is no operator API. The comparison takes constant time.
 */
export const authenticateOperator = createMiddleware<AppEnv>(async (c, next) => {
  const { OPERATOR_TOKEN: token } = platform(c).settings;
  if (token === undefined) throw new ServiceError("not_found");
  const [given, expected] = await Promise.all([digest(bearerCredential(c)), digest(token)]);
  if (!crypto.subtle.timingSafeEqual(given, expected)) throw new ServiceError("Unauthorized");
  await next();
});

/** Admits the holder of a lease, by its signed token. */
export const authenticateLease = createMiddleware<AppEnv>(async (c, next) => {
  const lease = await readLeaseToken(secretsOf(platform(c).settings), bearerCredential(c));
  if (lease === null) throw new ServiceError("Unauthorized");
  c.set("lease", lease);
  await next();
});

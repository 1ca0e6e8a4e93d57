import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { apiKeyDigest, isWellFormedApiKey } from "../../core/api-key.ts";
import { ServiceError } from "../../core/errors.ts";
import { readLeaseToken } from "../../core/lease-token.ts";
import { platform, type AppEnv } from "../context.ts";

/** The credential of `Authorization: Bearer <credential>` (RFC 6750, 2.1). @throws ServiceError Unauthorized. */
function bearerCredential(c: Context<AppEnv>): string {
  const credential = /^Bearer +([\x21-\x7e]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (credential === undefined) throw new ServiceError("Unauthorized");
  return credential;
}

/** Lets an account's API key in: a key that can't be one costs no read, any other costs one. */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const credential = bearerCredential(c);
  const account = isWellFormedApiKey(credential)
    ? await platform(c).accounts.findByKeyDigest(await apiKeyDigest(credential))
    : null;
  if (account === null) throw new ServiceError("Unauthorized");
  c.set("account", account);
  await next();
});

/** Lets the holder of a lease in, by the token that was signed for it. */
export const authenticateLease = createMiddleware<AppEnv>(async (c, next) => {
  const lease = await readLeaseToken(platform(c).settings.SIGNING_SECRET, bearerCredential(c));
  if (lease === null) throw new ServiceError("Unauthorized");
  c.set("lease", lease);
  await next();
});

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";

/** Lets a request through that carries the token; compares digests, so that time tells nothing of it. */
export function bearer(token: string | undefined) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return createMiddleware(async (c, next) => {
    if (expected !== undefined && !timingSafeEqual(digest(c.req.header("authorization") ?? ""), expected)) {
      c.header("www-authenticate", "Bearer");
      return c.json(
        { error: "unauthorized", message: "Send the service's token as Authorization: Bearer." },
        401,
      );
    }
    return next();
  });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

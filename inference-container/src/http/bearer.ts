import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";

/** Lets only requests with the token through, all if there is none; compares digests, so that timing reveals nothing. */
export function bearer(token: string | undefined) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return createMiddleware(async (c, next) => {
    if (expected !== undefined && !timingSafeEqual(digest(c.req.header("authorization") ?? ""), expected)) {
      c.header("www-authenticate", "Bearer");
      return c.json(
        {
          error: "unauthorized",
          message: "The token is missing or wrong. Send INFERENCE_TOKEN as Authorization: Bearer.",
        },
        401,
      );
    }
    return next();
  });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

import { cors } from "hono/cors";

const A_DAY = 86_400;

/**
 * Lets pages of any origin call: there are no cookies to guard, and who calls must show a credential. A preflight is
 * answered before authentication, which it can't have; the headers that it asks for are granted, whatever SDK sends them.
 */
export const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "DELETE"],
  exposeHeaders: ["x-request-id", "retry-after", "idempotent-replayed", "x-job-progress"],
  maxAge: A_DAY,
});

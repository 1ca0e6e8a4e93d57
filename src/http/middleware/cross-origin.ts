import { cors } from "hono/cors";

const A_DAY = 86_400;

/**
 * Allows calls from pages of any origin: there are no cookies to protect, and every call needs a credential. A preflight carries
 * no credential, so this answers it before authentication. It allows every requested header, because SDKs send their own.
 */
export const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  exposeHeaders: [
    "x-request-id",
    "retry-after",
    "idempotent-replayed",
    "x-job-progress",
    "preference-applied",
    "etag",
  ],
  maxAge: A_DAY,
});

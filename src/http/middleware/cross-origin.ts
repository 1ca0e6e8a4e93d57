import { cors } from "hono/cors";

const A_DAY = 86_400;

/**
 * Allows calls from pages of any origin: there are no cookies to protect, and every call has to bring a credential. A
 * preflight carries no credential, so it is answered before authentication; it is granted every header that it asks for,
 * because SDKs send headers of their own.
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

import { Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { secureHeaders } from "hono/secure-headers";
import { ServiceError } from "../../shared/errors.ts";
import { asset, platform, type AppEnv } from "../context.ts";
import { crossOrigin } from "../middleware/cross-origin.ts";
import { openApiDocument } from "../openapi/document.ts";
import { readDecoder } from "../../models/operations/models.ts";
import { landingPage } from "../pages/landing.ts";
import { REFERENCE_FILES, REFERENCE_PAGE } from "../pages/reference.ts";

/** Nothing from other origins, nothing inline, no frames: people type secret keys into the reference page. */
const guarded = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // Only the domain's owner can decide if it is for HTTPS alone.
  strictTransportSecurity: false,
});

const cached = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, "access-control-allow-origin", "access-control-expose-headers"],
});

let document: string | null = null;

/** Pages for people, and the API's document for tools. */
export const pages = new Hono<AppEnv>()
  .use("/openapi.json", crossOrigin, cached)
  .get("/openapi.json", (c) => {
    document ??= JSON.stringify(openApiDocument());
    return c.body(document, 200, { "content-type": "application/json", "cache-control": "no-cache" });
  })
  .use("/decoders/*", crossOrigin)
  .get("/decoders/:file{[0-9a-f]{64}\\.onnx}", async (c) => {
    const stream = await readDecoder(platform(c), c.req.param("file").slice(0, 64));
    if (stream === null) throw new ServiceError("not_found");
    return c.body(stream, 200, {
      "content-type": "application/octet-stream",
      "cache-control": "public, max-age=31536000, immutable",
    });
  })
  .get("/", guarded, (c) => c.html(landingPage(platform(c).settings)))
  .get("/landing.css", guarded, (c) => asset(c, "landing/landing.css"))
  .get("/landing.js", guarded, (c) => asset(c, "landing/landing.js"))
  .get("/landing/:file", guarded, (c) => asset(c, `landing/${c.req.param("file")}`))
  .get("/docs", guarded, (c) => c.html(REFERENCE_PAGE))
  .get("/docs/:file", guarded, (c) => {
    const name = c.req.param("file");
    if (!REFERENCE_FILES.includes(name)) throw new ServiceError("not_found");
    return asset(c, `docs/${name}`);
  });

import { Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { secureHeaders } from "hono/secure-headers";
import { ServiceError } from "../../core/errors.ts";
import { asset, platform, type AppEnv } from "../context.ts";
import { crossOrigin } from "../middleware/cross-origin.ts";
import { openApiDocument } from "../openapi/document.ts";
import { LANDING_SCRIPT, LANDING_STYLE, landingPage } from "../pages/landing.ts";
import { REFERENCE_PAGE, REFERENCE_SCRIPT, VIEWER_FILES } from "../pages/reference.ts";

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
  // Only the domain's owner can say whether it is for HTTPS alone.
  strictTransportSecurity: false,
});

const cached = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, "access-control-allow-origin", "access-control-expose-headers"],
});

const CSS = { "content-type": "text/css; charset=utf-8" };
const JAVASCRIPT = { "content-type": "text/javascript; charset=utf-8" };

let document: string | null = null;

/** Pages for people, and the API's document for tools. */
export const pages = new Hono<AppEnv>()
  .use("/openapi.json", crossOrigin, cached)
  .get("/openapi.json", (c) => {
    document ??= JSON.stringify(openApiDocument());
    return c.body(document, 200, { "content-type": "application/json", "cache-control": "no-cache" });
  })
  .get("/", guarded, (c) => c.html(landingPage(platform(c).settings)))
  .get("/landing.css", guarded, cached, (c) => c.body(LANDING_STYLE, 200, CSS))
  .get("/landing.js", guarded, cached, (c) => c.body(LANDING_SCRIPT, 200, JAVASCRIPT))
  .get("/landing/:file", guarded, (c) => asset(c, `landing/${c.req.param("file")}`))
  .get("/docs", guarded, (c) => c.html(REFERENCE_PAGE))
  .get("/docs/start.js", guarded, cached, (c) => c.body(REFERENCE_SCRIPT, 200, JAVASCRIPT))
  .get("/docs/:file", guarded, (c) => {
    const name = c.req.param("file");
    if (!VIEWER_FILES.includes(name)) throw new ServiceError("not_found");
    return asset(c, `docs/${name}`);
  });

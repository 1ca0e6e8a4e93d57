import { Hono, type Context } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { ServiceError } from "../../shared/errors.ts";
import { type StudioSettings, studioSettingsOf } from "../../feature-settings.ts";
import { asset, platform, type AppEnv } from "../context.ts";
import type { StudioConfig } from "../studio-config.ts";

const A_YEAR = "public, max-age=31536000, immutable";

/** Nothing inline, and nothing from other origins except the storage, the identity provider and the operator's logo. */
const guard = ({ connectOrigins, storageOrigin, logoUrl }: StudioSettings) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      // For the decoder, which runs in a web worker.
      scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
      styleSrc: ["'self'"],
      fontSrc: ["'self'"],
      imgSrc: ["'self'", "blob:", storageOrigin, ...(logoUrl === null ? [] : [logoUrl])],
      mediaSrc: ["'self'", "blob:", storageOrigin],
      connectSrc: ["'self'", storageOrigin, ...connectOrigins],
      workerSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: "DENY",
    // The identity provider must not see paths, which may contain a job's id.
    referrerPolicy: "no-referrer",
    // Only the domain's owner can decide if it is for HTTPS alone.
    strictTransportSecurity: false,
  });

const configOf = (settings: StudioSettings): StudioConfig => {
  const { name, logoUrl, signIn, maxImagePixels, maxImageBytes, maxVideoBytes, paidPlan } = settings;
  return { name, logoUrl, signIn, maxImagePixels, maxImageBytes, maxVideoBytes, paidPlan };
};

/** The studio's settings. @throws ServiceError not_found where the operator has no studio. */
function settingsOf(c: Context<AppEnv>): StudioSettings {
  const settings = studioSettingsOf(platform(c).settings);
  if (settings === null) throw new ServiceError("not_found");
  return settings;
}

/** A page of the studio, which a browser asks for each time. */
async function pageOf(c: Context<AppEnv>, file: string): Promise<Response> {
  const page = await asset(c, `studio/${file}`);
  page.headers.set("cache-control", "no-cache");
  return page;
}

/** The studio: its files, its configuration, the page of a share, and its main page for every other path. */
export const studio = new Hono<AppEnv>()
  .use((c, next) => guard(settingsOf(c))(c, next))
  .get("/config.json", (c) => c.json(configOf(settingsOf(c)), 200, { "cache-control": "no-cache" }))
  .get("/assets/:file", async (c) => {
    const file = await asset(c, `studio/assets/${c.req.param("file")}`);
    // Its name contains a digest of its content.
    file.headers.set("cache-control", A_YEAR);
    return file;
  })
  .get("/icon.svg", (c) => asset(c, "studio/icon.svg"))
  .get("/shared/*", async (c) => {
    const page = await pageOf(c, "shared.html");
    // A share is not meant for search engines.
    page.headers.set("x-robots-tag", "noindex, nofollow");
    return page;
  })
  .get("*", (c) => pageOf(c, "index.html"));

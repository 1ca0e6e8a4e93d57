import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../../shared/errors.ts";
import { platform, type AppEnv } from "../../http/context.ts";
import { crossOrigin } from "../../http/middleware/cross-origin.ts";
import type { Settings } from "../../settings.ts";
import { withLargeBody } from "../../http/large-body.ts";
import { asClient } from "../client.ts";
import { BODY, messageOf } from "./message.ts";

const PATH = "/mcp";
const METADATA = "/.well-known/oauth-protected-resource";
/** Some frameworks add a slash. */
const PATHS = [PATH, `${PATH}/`];

/** Returns the operator's settings. @throws ServiceError not_found if the bridge is off. */
function settingsOf(c: Context<AppEnv>): Settings {
  const { settings } = platform(c);
  if (!settings.MCP) throw new ServiceError("not_found");
  return settings;
}

/** Returns the URL of the protected resource's metadata; null without an identity provider, which issues tokens. */
const metadataUrl = ({ PUBLIC_URL: address, OIDC_ISSUER: issuer }: Settings): string | null =>
  issuer === undefined ? null : `${address}${METADATA}${PATH}`;

/**
 * Returns the identifier by which clients ask the identity provider for a token (RFC 8707). This is the audience of access
 * tokens, if that is an address above this one, as clients demand; otherwise the provider has to know the address.
 */
function resourceOf({ PUBLIC_URL: address, OIDC_AUDIENCE: audience = "" }: Settings): string {
  const own = `${address}${PATH}`;
  const base = audience.replace(/\/$/, "");
  return own === audience || (URL.canParse(audience) && own.startsWith(`${base}/`)) ? audience : own;
}

/** Refuses pages of other origins: DNS rebinding may lead a browser to them. */
function refuseForeignOrigin(c: Context<AppEnv>, { PUBLIC_URL: address }: Settings): void {
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== new URL(address).origin) throw new ServiceError("origin_forbidden");
}

/** Tells a client without a credential how to get one. */
const challenge = createMiddleware<AppEnv>(async (c, next) => {
  const url = metadataUrl(settingsOf(c));
  await next();
  if (c.res.status === 401 && url !== null) c.header("www-authenticate", `Bearer resource_metadata="${url}"`);
});

/** The Model Context Protocol over Streamable HTTP, without sessions: each request has a separate server. */
export const mcp = new Hono<AppEnv>()
  .use(PATH, challenge)
  .use(`${PATH}/`, challenge)
  .on("POST", PATHS, async (c) => {
    refuseForeignOrigin(c, settingsOf(c));
    return asClient(c, undefined, async (client) => {
      const { message: parsedBody, refusal } = await withLargeBody(c, client, BODY, (body) =>
        messageOf(client, body),
      );
      // Loaded with the first call: otherwise every isolate would start with twice the code.
      const [{ createMcpHandler }, { newServer }] = await Promise.all([
        import("@modelcontextprotocol/server"),
        import("./server.ts"),
      ]);
      const handler = createMcpHandler(() => newServer(client, c.get("requestId"), refusal), {
        // A server never changes: a subscription would only hold a connection.
        maxSubscriptions: 0,
      });
      return handler.fetch(c.req.raw, { parsedBody });
    });
  })
  .use(`${METADATA}/*`, crossOrigin)
  .on("GET", [METADATA, ...PATHS.map((path) => `${METADATA}${path}`)], (c) => {
    const settings = settingsOf(c);
    if (metadataUrl(settings) === null) throw new ServiceError("not_found");
    return c.json({
      resource: resourceOf(settings),
      authorization_servers: [settings.OIDC_ISSUER],
      scopes_supported: settings.STUDIO_SCOPE.split(" "),
      bearer_methods_supported: ["header"],
      resource_name: settings.STUDIO_NAME,
      resource_documentation: `${settings.PUBLIC_URL}/docs`,
    });
  });

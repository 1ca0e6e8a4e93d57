import { Hono, type Context } from "hono";
import { ServiceError } from "../../core/errors.ts";
import { platform, type AppEnv } from "../../http/context.ts";
import { crossOrigin } from "../../http/middleware/cross-origin.ts";
import type { Settings } from "../../settings.ts";
import { asClient } from "../client.ts";
import { MOST_INLINE_BYTES } from "./schemas.ts";

const PATH = "/mcp";
const METADATA = "/.well-known/oauth-protected-resource";
/** A call with the largest picture in base64, and what else it says. */
const MOST_BYTES = Math.ceil(MOST_INLINE_BYTES / 3) * 4 + 64 * 1024;

/** The operator's settings, if he has this. @throws ServiceError not_found. */
function settingsOf(c: Context<AppEnv>): Settings {
  const { settings } = platform(c);
  if (!settings.MCP) throw new ServiceError("not_found");
  return settings;
}

/** Where the metadata of the protected resource is; null without an identity provider, from which tokens come. */
const metadataUrl = ({ PUBLIC_URL: address, OIDC_ISSUER: issuer }: Settings): string | null =>
  issuer === undefined ? null : `${address}${METADATA}${PATH}`;

/**
 * The identifier by which clients ask the identity provider for a token (RFC 8707). It is the audience of access tokens, if that is
 * an address above this one, as clients demand; else the provider has to know the address itself.
 */
function resourceOf({ PUBLIC_URL: address, OIDC_AUDIENCE: audience = "" }: Settings): string {
  const own = `${address}${PATH}`;
  const base = audience.replace(/\/$/, "");
  return own === audience || (URL.canParse(audience) && own.startsWith(`${base}/`)) ? audience : own;
}

/** Pages of other origins may not call: one that a browser is led to (DNS rebinding) has no business here. */
function refuseForeignOrigin(c: Context<AppEnv>, { PUBLIC_URL: address }: Settings): void {
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== new URL(address).origin) throw new ServiceError("origin_forbidden");
}

/** A call's message: at most so many bytes, and one, because a batch would count as one request. @throws ServiceError. */
async function messageOf(request: Request): Promise<unknown> {
  const { readRequestBody } = await import("@modelcontextprotocol/server");
  const read = await readRequestBody(request, MOST_BYTES).catch(() => {
    throw new ServiceError("body_incomplete");
  });
  if (read.tooLarge)
    throw new ServiceError(
      "body_too_large",
      `The body is larger than ${MOST_BYTES} bytes. Send a smaller picture, or its URL.`,
    );
  let message: unknown;
  try {
    message = JSON.parse(read.text);
  } catch {
    throw new ServiceError("invalid_json");
  }
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw new ServiceError(
      "invalid_request",
      "The body must be one JSON-RPC message, not a batch. Send one per request.",
    );
  return message;
}

/** The Model Context Protocol over Streamable HTTP, without sessions: each request has a server of its own. */
export const mcp = new Hono<AppEnv>()
  .use(PATH, async (c, next) => {
    const url = metadataUrl(settingsOf(c));
    await next();
    if (c.res.status === 401 && url !== null)
      c.header("www-authenticate", `Bearer resource_metadata="${url}"`);
  })
  .post(PATH, async (c) => {
    refuseForeignOrigin(c, settingsOf(c));
    return asClient(c, undefined, async (client) => {
      const parsedBody = await messageOf(c.req.raw);
      // Loaded with the first call: half of the Worker's code would otherwise start with every isolate.
      const [{ createMcpHandler }, { newServer }] = await Promise.all([
        import("@modelcontextprotocol/server"),
        import("./server.ts"),
      ]);
      const handler = createMcpHandler(() => newServer(client, c.get("requestId")), {
        // Nothing of a server ever changes: a subscription would only hold a connection.
        maxSubscriptions: 0,
      });
      return handler.fetch(c.req.raw, { parsedBody });
    });
  })
  .use(`${METADATA}/*`, crossOrigin)
  .on("GET", [METADATA, `${METADATA}${PATH}`], (c) => {
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

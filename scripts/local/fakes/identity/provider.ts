import { randomBytes } from "node:crypto";
import { Provider } from "oidc-provider";
import type { Kept } from "./kept.ts";
import { memoryAdapter } from "./memory-adapter.ts";
import { AUDIENCE, CALLBACK_PATH, CLIENT_ID, STUDIO_CLIENT_ID } from "./names.ts";
import { errorPage } from "./pages.ts";
import { personOf } from "./people.ts";

const TOKEN_SECONDS = 3_600;
const API_SCOPE = "api";
const SESSION_SECONDS = 3_600;
const REFRESH_SECONDS = 86_400;

export interface ProviderOptions {
  readonly url: string;
  /** The URL of the API, to whose studio people sign in. */
  readonly apiUrl: string;
}

/** An OpenID provider that issues JWT access tokens for the API. */
export function createProvider(kept: Kept, { url, apiUrl }: ProviderOptions): Provider {
  return new Provider(kept.issuer, {
    adapter: memoryAdapter,
    jwks: { keys: [kept.signingKey] },
    cookies: { keys: [randomBytes(32).toString("base64url")] },
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code"],
        response_types: ["code"],
        redirect_uris: [`${url}${CALLBACK_PATH}`],
      },
      {
        client_id: STUDIO_CLIENT_ID,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        redirect_uris: [`${apiUrl}/studio/signed-in`],
      },
    ],
    // The studio's pages come from another origin than the token endpoint.
    clientBasedCORS: (_context, origin) => origin === apiUrl,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "picture"] },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: 60,
      Grant: SESSION_SECONDS,
      IdToken: TOKEN_SECONDS,
      Interaction: SESSION_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Session: SESSION_SECONDS,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // There is only one API for all clients.
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: API_SCOPE,
          audience: AUDIENCE,
          accessTokenTTL: TOKEN_SECONDS,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    interactions: { url: (_context, interaction) => `/login/${interaction.uid}` },
    findAccount: (_context, subject) => {
      const person = personOf(subject, url);
      return person === null ? undefined : { accountId: subject, claims: () => ({ ...person }) };
    },
    // Both clients belong to the service, so no consent is needed.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        ...(oidc.client && { clientId: oidc.client.clientId }),
        ...(oidc.account && { accountId: oidc.account.accountId }),
      });
      grant.addOIDCScope("openid email profile offline_access");
      grant.addResourceScope(AUDIENCE, API_SCOPE);
      await grant.save();
      return grant;
    },
    extraTokenClaims: (_context, token) => {
      if (token.kind !== "AccessToken") return undefined;
      const person = personOf(token.accountId, url);
      return person === null ? undefined : { ...person };
    },
    renderError: async (context, out) => {
      context.type = "html";
      context.body = String(await errorPage(out.error_description ?? out.error));
    },
  });
}

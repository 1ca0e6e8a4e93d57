import * as oauth from "oauth4webapi";
import type { SignInSettings } from "../state/config.ts";

/** Reason for a failed sign-in after a visit to the identity provider; the message is for people. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  /** The provider no longer has a session for this person, so it has to ask. */
  readonly needsPerson: boolean;

  constructor(message: string, options: { readonly needsPerson?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.needsPerson = options.needsPerson ?? false;
  }
}

/** State that the tab needs when the person returns from the provider. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

const PENDING = "studio.sign-in";
const RETURN_PATH = "/studio/signed-in";
/** Errors of a provider that would have to ask in spite of `prompt=none` (OpenID Connect Core 1.0, 3.1.2.6). */
const NEEDS_PERSON = new Set([
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
]);

const redirectUri = (): string => new URL(RETURN_PATH, location.origin).href;

/** A provider on this machine may go without TLS. */
const insecure = (issuer: string) => ({
  [oauth.allowInsecureRequests]: new URL(issuer).protocol === "http:",
});

async function discover({ issuer }: SignInSettings): Promise<oauth.AuthorizationServer> {
  try {
    const url = new URL(issuer);
    return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure(issuer)));
  } catch (cause) {
    throw new SignInError("The identity provider can’t be reached. Try again in a moment.", { cause });
  }
}

/**
 * Leaves for the identity provider: authorization code with PKCE (RFC 7636). It comes back to the page of the moment at which
 * this one is left.
 * @param prompt whether the provider asks who it is, or answers without asking, or refuses
 */
export async function leaveForProvider(settings: SignInSettings, prompt: "login" | "none"): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(settings);
  if (endpoint === undefined) throw new SignInError("The identity provider has no sign-in page.");
  const pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const address = new URL(endpoint);
  const parameters = {
    client_id: settings.clientId,
    response_type: "code",
    redirect_uri: redirectUri(),
    scope: settings.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    prompt,
    ...settings.parameters,
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const note = (): void => {
    const noted: Pending = { ...pending, returnTo: location.pathname + location.search };
    sessionStorage.setItem(PENDING, JSON.stringify(noted));
  };
  note();
  // Until the provider has answered, work continues here, and its path may change.
  addEventListener("pagehide", note, { once: true });
  location.assign(address);
}

/** A person who came back from the provider. */
export interface Arrival {
  readonly tokens: Tokens;
  readonly subject: string;
}

/** Exchanges the code in the address for tokens; the address is again where the sign-in began. @throws SignInError */
export async function arriveFromProvider(settings: SignInSettings): Promise<Arrival> {
  const text = sessionStorage.getItem(PENDING);
  const address = new URL(location.href);
  sessionStorage.removeItem(PENDING);
  const pending: Pending | null = text === null ? null : JSON.parse(text);
  history.replaceState(null, "", pending?.returnTo ?? "/studio");
  if (pending === null)
    throw new SignInError("This sign-in was started in another tab, or has already been used.");
  const { state, nonce, verifier } = pending;
  const server = await discover(settings);
  const client = { client_id: settings.clientId };
  try {
    const answer = oauth.validateAuthResponse(server, client, address, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      answer,
      redirectUri(),
      verifier,
      insecure(settings.issuer),
    );
    const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    const subject = oauth.getValidatedIdTokenClaims(result)?.sub;
    if (subject === undefined) throw new SignInError("The identity provider did not say who signed in.");
    return { tokens: new Tokens(server, settings, result), subject };
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    const code = cause instanceof oauth.AuthorizationResponseError ? cause.error : "";
    throw new SignInError(
      code === "access_denied"
        ? "The sign-in was canceled."
        : "The identity provider’s response can’t be used. Sign in again.",
      { needsPerson: NEEDS_PERSON.has(code), cause },
    );
  }
}

/** A token is renewed when it has less than this left, or less than this share of its life if that is shorter. */
const MARGIN_MS = 60_000;
const MARGIN_SHARE = 0.2;
/** The errors with which a provider ends a session for good (RFC 6749, 5.2); others are temporary, such as an overload. */
const ENDED = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);
/** Of a token whose provider doesn't say how long it is valid. */
const ASSUMED_SECONDS = 300;

/** An access token, and the refresh token that renews it: in memory only, and rotated if the provider does so. */
export class Tokens {
  readonly #server: oauth.AuthorizationServer;
  readonly #settings: SignInSettings;
  #access: string;
  #refresh: string | undefined;
  #renewAt: number;
  #renewal: Promise<void> | null = null;

  constructor(
    server: oauth.AuthorizationServer,
    settings: SignInSettings,
    answer: oauth.TokenEndpointResponse,
  ) {
    this.#server = server;
    this.#settings = settings;
    this.#access = answer.access_token;
    this.#refresh = answer.refresh_token;
    this.#renewAt = renewalOf(answer);
  }

  /** An access token that is valid for a while; the old one if it can't be renewed, which the API then refuses. */
  async current(): Promise<string> {
    if (Date.now() > this.#renewAt && this.#refresh !== undefined) {
      // One renewal for all who ask: a rotated refresh token is good for one use.
      this.#renewal ??= this.#renew(this.#refresh).finally(() => (this.#renewal = null));
      await this.#renewal;
    }
    return this.#access;
  }

  async #renew(refreshToken: string): Promise<void> {
    const client = { client_id: this.#settings.clientId };
    try {
      const response = await oauth.refreshTokenGrantRequest(
        this.#server,
        client,
        oauth.None(),
        refreshToken,
        insecure(this.#settings.issuer),
      );
      const answer = await oauth.processRefreshTokenResponse(this.#server, client, response);
      this.#access = answer.access_token;
      this.#refresh = answer.refresh_token ?? refreshToken;
      this.#renewAt = renewalOf(answer);
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && ENDED.has(error.error)) this.#refresh = undefined;
    }
  }
}

/** The time at which a token is renewed, in epoch milliseconds. */
function renewalOf({ expires_in: seconds = ASSUMED_SECONDS }: oauth.TokenEndpointResponse): number {
  const lifeMs = seconds * 1_000;
  return Date.now() + lifeMs - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE);
}

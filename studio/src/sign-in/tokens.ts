import * as oauth from "oauth4webapi";
import type { SignInSettings } from "../config.ts";

/** A token is renewed when it has less than this left. */
const MARGIN_MS = 60_000;
/** Of a token whose provider doesn't say how long it is valid. */
const ASSUMED_SECONDS = 300;

/** An access token, and the refresh token that renews it: in memory only, and rotated if the provider does so. */
export class Tokens {
  readonly #server: oauth.AuthorizationServer;
  readonly #settings: SignInSettings;
  #access: string;
  #refresh: string | undefined;
  #until: number;
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
    this.#until = endOf(answer);
  }

  /** An access token that is valid for a while; the old one if it can't be renewed, which the API then refuses. */
  async current(): Promise<string> {
    if (Date.now() > this.#until - MARGIN_MS && this.#refresh !== undefined) {
      // One renewal for all who ask: a rotated refresh token is good for one use.
      this.#renewal ??= this.#renew(this.#refresh).finally(() => {
        this.#renewal = null;
      });
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
        { [oauth.allowInsecureRequests]: new URL(this.#settings.issuer).protocol === "http:" },
      );
      const answer = await oauth.processRefreshTokenResponse(this.#server, client, response);
      this.#access = answer.access_token;
      this.#refresh = answer.refresh_token ?? refreshToken;
      this.#until = endOf(answer);
    } catch (error) {
      // The provider has ended the session. Without a network the token stays good for another try.
      if (error instanceof oauth.ResponseBodyError) this.#refresh = undefined;
    }
  }
}

const endOf = ({ expires_in: seconds = ASSUMED_SECONDS }: oauth.TokenEndpointResponse): number =>
  Date.now() + seconds * 1_000;

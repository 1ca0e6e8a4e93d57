import { join } from "node:path";
import { z } from "zod";
import { SettingsSchema } from "../../../src/settings.ts";
import { AUDIENCE, STUDIO_CLIENT_ID } from "../fakes/identity/names.ts";
import { type Child, startListeningChild } from "../../shared/child.ts";
import type { Secrets } from "../../shared/state/secrets.ts";
import type { StackSettings } from "../../shared/state/settings.ts";
import { type StateFolder, stackMark } from "../../shared/state/state-folder.ts";

export type Fake = "identity" | "billing";

export interface FakeOptions {
  readonly state: StateFolder;
  readonly baseUrl: string;
  readonly given: StackSettings;
  readonly secrets: Secrets;
  /** Called with each process as soon as it runs. */
  readonly adopt: (child: Child) => void;
  readonly listener: (part: Fake) => (line: string) => void;
  readonly signal: AbortSignal;
}

/** The running fakes: the Worker's settings for them, and their URLs. */
export interface Fakes {
  readonly values: StackSettings;
  readonly addresses: { readonly identityUrl?: string; readonly billingUrl?: string };
}

const IDENTITY_SETTINGS = ["OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_JWKS_URL"];
const BILLING_SETTINGS = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_ID", "STRIPE_API_URL"];

/** The id of the only price at Stripe's fake. */
const PRICE_ID = "price_stand_in";

async function start(
  part: Fake,
  main: string,
  name: string,
  env: StackSettings,
  options: FakeOptions,
): Promise<string> {
  const { state, adopt, listener, signal } = options;
  const { child, url } = await startListeningChild(
    {
      name,
      args: [join("scripts", "local", "fakes", main, "main.ts")],
      env: { ...process.env, ...stackMark(state), ...env },
      logFile: join(state.logs, `${part}.log`),
      onLine: listener(part),
    },
    signal,
  );
  adopt(child);
  return url;
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

async function startIdentity(options: FakeOptions): Promise<Fakes> {
  const env = { IDENTITY_FILE: options.state.identity, API_URL: options.baseUrl };
  const identityUrl = await start("identity", "identity", "The identity provider's fake", env, options);
  const document = await fetch(`${identityUrl}/.well-known/openid-configuration`, { signal: options.signal });
  const { issuer, jwks_uri: jwksUrl } = Discovery.parse(await document.json());
  return {
    values: {
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_JWKS_URL: jwksUrl,
      STUDIO_CLIENT_ID,
    },
    addresses: { identityUrl },
  };
}

async function startBilling(options: FakeOptions): Promise<Fakes> {
  const { state, baseUrl, given, secrets } = options;
  const shared = {
    STRIPE_SECRET_KEY: secrets.STRIPE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: secrets.STRIPE_WEBHOOK_SECRET,
    STRIPE_PRICE_ID: PRICE_ID,
    STRIPE_METER_EVENT:
      given["STRIPE_METER_EVENT"] ?? SettingsSchema.shape.STRIPE_METER_EVENT.parse(undefined),
  };
  const env = { ...shared, STATE_FILE: state.billing, WEBHOOK_URL: `${baseUrl}/webhooks/stripe` };
  const billingUrl = await start("billing", "stripe", "Stripe's fake", env, options);
  return { values: { ...shared, STRIPE_API_URL: billingUrl }, addresses: { billingUrl } };
}

/** Starts a fake for each external service that the operator's settings do not name. */
export async function startFakes(options: FakeOptions): Promise<Fakes> {
  const isGiven = (names: readonly string[]): boolean =>
    names.some((name) => options.given[name] !== undefined);
  const started = await Promise.allSettled([
    ...(isGiven(IDENTITY_SETTINGS) ? [] : [startIdentity(options)]),
    ...(isGiven(BILLING_SETTINGS) ? [] : [startBilling(options)]),
  ]);
  const running: Fakes[] = [];
  for (const result of started) {
    if (result.status === "rejected") throw result.reason;
    running.push(result.value);
  }
  return {
    values: Object.assign({}, ...running.map(({ values }) => values)),
    addresses: Object.assign({}, ...running.map(({ addresses }) => addresses)),
  };
}

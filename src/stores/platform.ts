import { settingsOf, type Env } from "../env.ts";
import { billingSettingsOf, identitySettingsOf, policyOf, type Settings } from "../settings.ts";
import type { JobPolicy } from "../core/job/policy.ts";
import { InferenceClient } from "../inference/client.ts";
import { Accounts } from "./accounts.ts";
import { ApiKeys } from "./api-keys.ts";
import { Billing } from "./billing.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { Jobs } from "./jobs.ts";
import { Ledger } from "./ledger.ts";
import { Media } from "./media.ts";
import { Payments } from "./payments.ts";
import { Queues } from "./queues.ts";
import { RequestRate } from "./request-rate.ts";
import { Uploads } from "./uploads.ts";
import { UsageOutbox } from "./usage-outbox.ts";
import { Viewer } from "./viewer.ts";

/** Everything that the services work with: the settings, and a store for each kind of fact. */
export interface Platform {
  readonly settings: Settings;
  readonly policy: JobPolicy;
  readonly accounts: Accounts;
  /** Null where the operator has none. */
  readonly identityProvider: IdentityProvider | null;
  readonly requestRate: RequestRate;
  readonly apiKeys: ApiKeys;
  readonly idempotency: IdempotencyKeys;
  readonly uploads: Uploads;
  readonly jobs: Jobs;
  readonly ledger: Ledger;
  readonly media: Media;
  readonly queues: Queues;
  readonly billing: Billing;
  readonly usage: UsageOutbox;
  /** Null where the operator has no billing. */
  readonly payments: Payments | null;
  readonly viewer: Viewer;
  readonly inference: InferenceClient;
  /** The one object that holds a job's truth; it may hold none. */
  readonly jobObject: (jobId: string) => ReturnType<Env["JOBS"]["getByName"]>;
}

const platforms = new WeakMap<Env, Platform>();

/** The platform of an environment, made once. @throws where a setting is missing or wrong. */
export function platformOf(env: Env): Platform {
  const known = platforms.get(env);
  if (known !== undefined) return known;
  const settings = settingsOf(env);
  const identitySettings = identitySettingsOf(settings);
  const billingSettings = billingSettingsOf(settings);
  const platform: Platform = {
    settings,
    policy: policyOf(settings),
    accounts: new Accounts(env.DB),
    identityProvider: identitySettings && new IdentityProvider(identitySettings),
    requestRate: new RequestRate(env.RATE_LIMIT),
    apiKeys: new ApiKeys(env.DB),
    idempotency: new IdempotencyKeys(env.DB),
    uploads: new Uploads(env.DB),
    jobs: new Jobs(env.DB),
    ledger: new Ledger(env.DB),
    media: new Media(env, settings),
    queues: new Queues(env),
    billing: new Billing(env.DB),
    usage: new UsageOutbox(env.DB),
    payments: billingSettings && new Payments(billingSettings),
    viewer: new Viewer(env.ASSETS),
    inference: new InferenceClient(settings.INFERENCE_URL, settings.INFERENCE_TOKEN),
    jobObject: (jobId) => env.JOBS.getByName(jobId),
  };
  platforms.set(env, platform);
  return platform;
}

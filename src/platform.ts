import type { JobPolicy } from "./core/job/policy.ts";
import { settingsOf, type Env } from "./env.ts";
import { InferenceClient } from "./inference/client.ts";
import {
  billingSettingsOf,
  bucketSettingsOf,
  identitySettingsOf,
  policyOf,
  type Settings,
} from "./settings.ts";
import { Accounts } from "./stores/accounts.ts";
import { ApiKeys } from "./stores/api-keys.ts";
import { Billing } from "./stores/billing.ts";
import { IdempotencyKeys } from "./stores/idempotency.ts";
import { IdentityProvider } from "./stores/identity-provider.ts";
import { Jobs } from "./stores/jobs.ts";
import { Ledger } from "./stores/ledger.ts";
import { Media } from "./stores/media.ts";
import { Payments } from "./stores/payments.ts";
import { Queues } from "./stores/queues.ts";
import { RequestRate } from "./stores/request-rate.ts";
import { Uploads } from "./stores/uploads.ts";
import { UsageOutbox } from "./stores/usage-outbox.ts";
import { Viewer } from "./stores/viewer.ts";

/** What the services work with: the settings, and a store for each kind of fact. The composition root makes it. */
export interface Platform {
  readonly settings: Settings;
  readonly policy: JobPolicy;
  readonly accounts: Accounts;
  /** Null if the operator has none. */
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
  /** Null if the operator has no billing. */
  readonly payments: Payments | null;
  readonly viewer: Viewer;
  readonly inference: InferenceClient;
  /** The JobObject of this id, whether or not there is such a job. */
  readonly jobObject: (jobId: string) => ReturnType<Env["JOBS"]["getByName"]>;
}

const platforms = new WeakMap<Env, Platform>();

/** The platform of an environment, made once. @throws if a setting is missing or wrong. */
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
    media: new Media(env.MEDIA, bucketSettingsOf(settings)),
    queues: new Queues({
      interactive: env.INTERACTIVE_QUEUE,
      bulk: env.BULK_QUEUE,
      trial: env.TRIAL_QUEUE,
      archive: env.ARCHIVE_QUEUE,
    }),
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

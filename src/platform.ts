import { waitUntil } from "cloudflare:workers";
import type { Model } from "./models/contract/model.ts";
import type { JobPolicy } from "./jobs/rules/policy.ts";
import { LogThrottle, sampleInfo } from "./shared/log.ts";
import { RecentMap } from "./shared/recent-map.ts";
import { Semaphore } from "./shared/semaphore.ts";
import { newSeenCredentials, type SeenCredentials } from "./accounts/rules/callers.ts";
import { FIRST_DATABASE } from "./shared/storage/databases.ts";
import { databasesOf, settingsOf, type Env } from "./env.ts";
import { composePools } from "./compose-pools.ts";
import { GATEWAY } from "./gateway/store/rpc.ts";
import { InferencePools } from "./models/store/inference-pools.ts";
import { PoolModels } from "./models/store/pool-models.ts";
import { billingSettingsOf, bucketSettingsOf, identitySettingsOf, policyOf } from "./feature-settings.ts";
import type { Settings } from "./settings.ts";
import { type Account, Accounts } from "./accounts/store/accounts.ts";
import { ApiKeys } from "./accounts/store/api-keys.ts";
import { Assets } from "./http/assets.ts";
import { Billing } from "./billing/store/billing.ts";
import { Closings } from "./billing/store/closings.ts";
import { DeadLetters } from "./operator/store/dead-letters.ts";
import { Directory } from "./accounts/store/directory.ts";
import { DeletedUploads } from "./uploads/store/deleted-uploads.ts";
import { Erasures } from "./operator/store/erasures.ts";
import { Gauges } from "./operator/store/gauges.ts";
import { IdempotencyKeys } from "./shared/storage/idempotency-keys.ts";
import { IdentityProvider } from "./accounts/store/identity-provider.ts";
import { Jobs } from "./jobs/store/jobs.ts";
import { Ledger } from "./billing/store/ledger.ts";
import { LostJobs } from "./jobs/store/lost-jobs.ts";
import { Media } from "./shared/bucket/bucket.ts";
import type { JobStub } from "./jobs/store/rpc.ts";
import { OldJobs } from "./jobs/store/old-jobs.ts";
import { Payments } from "./billing/store/payments.ts";
import { Queues } from "./jobs/store/queues.ts";
import { Probe } from "./operator/store/probe.ts";
import { RepeatedRequests } from "./integrations/store/repeated-requests.ts";
import { RequestRate } from "./shared/api/request-rate.ts";
import { Shares } from "./shares/store/shares.ts";
import { Transits } from "./operator/store/transit.ts";
import { Uploads } from "./uploads/store/uploads.ts";
import { TrialLane } from "./billing/store/trial-lane.ts";
import { UsageOutbox } from "./billing/store/usage-outbox.ts";
import { WebhookEndpoints } from "./webhooks/store/endpoints.ts";

/** The stores of one database, with the accounts and their data. */
export type Books = Readonly<ReturnType<typeof booksIn>>;

/** The settings and stores that the operations use. The composition root creates it, with the stores of the first database. */
export interface Platform extends Books {
  readonly settings: Settings;
  readonly policy: JobPolicy;
  /** The names of all databases, the first one first. */
  readonly databases: readonly string[];
  /** Returns the same platform with another database; absent for the first one. @throws Error if there is no such database. */
  readonly at: (database?: string) => Platform;
  /** The database of each account. */
  readonly directory: Directory;
  /** Null if the operator has none. */
  readonly identityProvider: IdentityProvider | null;
  /** By account. */
  readonly requestRate: RequestRate;
  /** By the client's address, for credentials that are not known to be valid. */
  readonly addressRate: RequestRate;
  readonly seenCredentials: SeenCredentials<Account>;
  /** For log lines that strangers can provoke. */
  readonly logThrottle: LogThrottle;
  readonly media: Media;
  /** For imports that buffer a part of their file in memory, by account. */
  readonly bufferedImports: Semaphore;
  /** For large bodies of requests, in MiB, by their sender. */
  readonly largeBodies: Semaphore;
  /** For large uses of memory, in MiB: one limit for imports, archives and large bodies, which may meet in one isolate. */
  readonly memory: Semaphore;
  readonly queues: Queues;
  /** Null if the operator has no billing. */
  readonly payments: Payments | null;
  readonly assets: Assets;
  readonly inference: InferencePools;
  /** The inference service's model, as last reported to this isolate. */
  readonly knownModel: RecentMap<Model>;
  /** The JobObject of this id, whether or not there is such a job. */
  readonly jobObject: (jobId: string) => JobStub;
  /** The object that counts an account's open streams. */
  readonly accountStreams: (accountId: string) => ReturnType<Env["STREAMS"]["getByName"]>;
  /** The JobObject with this id of the platform (64 hex digits); null if no JobObject can have that id. */
  readonly jobObjectById: (objectId: string) => JobStub | null;
  /** The gateway of inference services that connect by themselves. */
  readonly gateway: () => ReturnType<Env["GATEWAY"]["getByName"]>;
  readonly webhookObject: (endpointId: string) => ReturnType<Env["WEBHOOKS"]["getByName"]>;
}

/** Interval at which a log line that strangers can provoke is logged per key. */
const LOGGED_EVERY_MS = 60_000;

const MOST_BUFFERED_IMPORTS = 6;
/** One account's slow sources must leave places for the others. */
const MOST_BUFFERED_IMPORTS_PER_ACCOUNT = 2;

/** An archive or a few imports fit in addition. */
const MOST_BODIES_MIB = 48;
/** The largest body takes 40. */
const MOST_BODIES_MIB_PER_OWNER = 40;
/** A body that has not arrived and been stored by then counts as gone. */
const LONGEST_BODY_MS = 180_000;

/** The isolate has 128 MB, for the code and all other requests too. */
const MOST_MEMORY_MIB = 80;
/** The platform's time limit for a consumer. */
const LONGEST_CONSUMER_MS = 15 * 60_000;

const MODEL_KEPT_MS = 60_000;

let platforms = new WeakMap<Env, Platform>();

/**
 * Returns the platform of an environment, created once: requests, messages and objects share it, so its caches (the provider's
 * keys, credentials, throttles, the model) outlive each of them.
 * @throws if a setting is missing or wrong.
 */
export function platformOf(env: Env): Platform {
  const known = platforms.get(env);
  if (known !== undefined) return known;
  const platform = createPlatform(env);
  platforms.set(env, platform);
  return platform;
}

/** Forgets every platform of this isolate, with its caches. Each test starts with this. */
export function forgetPlatforms(): void {
  platforms = new WeakMap();
}

function createPlatform(env: Env): Platform {
  const settings = settingsOf(env);
  sampleInfo(settings.LOG_INFO_ONE_IN);
  const identitySettings = identitySettingsOf(settings);
  const billingSettings = billingSettingsOf(settings);
  const bindings = databasesOf(env);
  const databases = [...bindings.keys()];
  const byDatabase = new Map<string, Platform>();
  const shared = {
    settings,
    policy: policyOf(settings),
    databases,
    at: (database = FIRST_DATABASE) => {
      const there = byDatabase.get(database);
      if (there === undefined) throw new Error(`No such database: this Worker has no binding ${database}.`);
      return there;
    },
    directory: new Directory(env.DB),
    identityProvider: identitySettings && new IdentityProvider(identitySettings, waitUntil),
    requestRate: new RequestRate(env.RATE_LIMIT),
    addressRate: new RequestRate(env.ADDRESS_RATE_LIMIT),
    seenCredentials: newSeenCredentials<Account>(),
    logThrottle: new LogThrottle(LOGGED_EVERY_MS),
    media: new Media(env.MEDIA, bucketSettingsOf(settings)),
    bufferedImports: new Semaphore(
      MOST_BUFFERED_IMPORTS,
      MOST_BUFFERED_IMPORTS_PER_ACCOUNT,
      2 * settings.MAX_IMPORT_SECONDS * 1_000,
    ),
    ...memoryOf(),
    queues: new Queues({
      interactive: env.INTERACTIVE_QUEUE,
      bulk: env.BULK_QUEUE,
      trial: env.TRIAL_QUEUE,
      archive: env.ARCHIVE_QUEUE,
      upkeep: env.UPKEEP_QUEUE,
    }),
    payments: billingSettings && new Payments(billingSettings),
    assets: new Assets(env.ASSETS),
    inference: new InferencePools(composePools(settings, env), new PoolModels(env.DB)),
    knownModel: new RecentMap<Model>(1, MODEL_KEPT_MS),
    accountStreams: (accountId: string) => env.STREAMS.getByName(accountId),
    jobObject: (jobId: string) => env.JOBS.getByName(jobId),
    jobObjectById: (objectId: string) => {
      try {
        return env.JOBS.get(env.JOBS.idFromString(objectId));
      } catch {
        return null;
      }
    },
    gateway: () => env.GATEWAY.getByName(GATEWAY),
    webhookObject: (endpointId: string) => env.WEBHOOKS.getByName(endpointId),
  };
  for (const [database, db] of bindings) {
    const others = [...bindings.values()].filter((other) => other !== db);
    byDatabase.set(database, { ...shared, ...booksIn(database, db, others) });
  }
  return shared.at();
}

/** Bounds of the memory of an isolate. */
export const memoryOf = () => ({
  largeBodies: new Semaphore(MOST_BODIES_MIB, MOST_BODIES_MIB_PER_OWNER, LONGEST_BODY_MS),
  memory: new Semaphore(MOST_MEMORY_MIB, MOST_MEMORY_MIB, LONGEST_CONSUMER_MS),
});

const booksIn = (database: string, db: D1Database, others: readonly D1Database[]) => ({
  probe: new Probe(db),
  database,
  accounts: new Accounts(db, database),
  apiKeys: new ApiKeys(db),
  shares: new Shares(db),
  idempotency: new IdempotencyKeys(db),
  repeatedRequests: new RepeatedRequests(db),
  erasures: new Erasures(db),
  uploads: new Uploads(db),
  deletedUploads: new DeletedUploads(db),
  jobs: new Jobs(db),
  oldJobs: new OldJobs(db),
  trialLane: new TrialLane(db, others),
  ledger: new Ledger(db),
  closings: new Closings(db),
  billing: new Billing(db),
  usage: new UsageOutbox(db),
  webhookEndpoints: new WebhookEndpoints(db),
  lostJobs: new LostJobs(db),
  deadLetters: new DeadLetters(db),
  gauges: new Gauges(db),
  /** Accounts that move from here or to here. */
  transits: new Transits(db),
});

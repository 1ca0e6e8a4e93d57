import { settingsOf, type Env } from "../env.ts";
import { policyOf, type Settings } from "../settings.ts";
import type { JobPolicy } from "../core/job/policy.ts";
import { InferenceClient } from "../inference/client.ts";
import { Accounts } from "./accounts.ts";
import { Jobs } from "./jobs.ts";
import { Media } from "./media.ts";
import { Queues } from "./queues.ts";
import { Uploads } from "./uploads.ts";

/** Everything that the services work with: the settings, and a store for each kind of fact. */
export interface Platform {
  readonly settings: Settings;
  readonly policy: JobPolicy;
  readonly accounts: Accounts;
  readonly uploads: Uploads;
  readonly jobs: Jobs;
  readonly media: Media;
  readonly queues: Queues;
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
  const platform: Platform = {
    settings,
    policy: policyOf(settings),
    accounts: new Accounts(env.DB),
    uploads: new Uploads(env.DB),
    jobs: new Jobs(env.DB),
    media: new Media(env, settings),
    queues: new Queues(env),
    inference: new InferenceClient(settings.INFERENCE_URL, settings.INFERENCE_TOKEN),
    jobObject: (jobId) => env.JOBS.getByName(jobId),
  };
  platforms.set(env, platform);
  return platform;
}

import type { z } from "zod";
import { databaseNames } from "./shared/storage/databases.ts";
import { SettingsSchema, type Settings } from "./settings.ts";
import type { JobNamespace, StreamsRpc } from "./jobs/store/rpc.ts";
import type { GatewayRpc } from "./gateway/store/rpc.ts";
import type { WebhookRpc } from "./webhooks/store/rpc.ts";
import type { ContainerNamespace } from "./models/store/container-rpc.ts";
import type { ArchiveMessage, TaskMessage, UpkeepMessage } from "./jobs/store/queues.ts";

/** The bindings of wrangler.toml. The environment also has the settings, as strings. */
export interface Env {
  /** The first database. Others are `DB_2`, `DB_3`, …: `databasesOf` finds them. */
  readonly DB: D1Database;
  readonly MEDIA: R2Bucket;
  readonly ASSETS: Fetcher;
  readonly RATE_LIMIT: RateLimit;
  readonly ADDRESS_RATE_LIMIT: RateLimit;
  /** Absent if the operator has no Analytics Engine. */
  readonly METRICS?: AnalyticsEngineDataset;
  readonly JOBS: JobNamespace;
  readonly STREAMS: DurableObjectNamespace<StreamsRpc & Rpc.DurableObjectBranded>;
  readonly WEBHOOKS: DurableObjectNamespace<WebhookRpc & Rpc.DurableObjectBranded>;
  readonly GATEWAY: DurableObjectNamespace<GatewayRpc & Rpc.DurableObjectBranded>;
  /** Absent without Cloudflare Containers. */
  readonly INFERENCE_CONTAINER?: ContainerNamespace;
  readonly INTERACTIVE_QUEUE: Queue<TaskMessage>;
  readonly BULK_QUEUE: Queue<TaskMessage>;
  readonly TRIAL_QUEUE: Queue<TaskMessage>;
  readonly ARCHIVE_QUEUE: Queue<ArchiveMessage>;
  readonly UPKEEP_QUEUE: Queue<UpkeepMessage>;
}

type Bindings = Env;
declare global {
  namespace Cloudflare {
    /** The same environment, as `cloudflare:workers` exports it. */
    interface Env extends Bindings {}
  }
}

const isDatabase = (binding: unknown): binding is D1Database =>
  typeof binding === "object" && binding !== null && "prepare" in binding && "batch" in binding;

/** The databases by the names of their bindings, the first one first: `DB`, and all that are called `DB_2`, `DB_3`, …. */
export function databasesOf(env: Env): ReadonlyMap<string, D1Database> {
  const bindings = new Map<string, unknown>(Object.entries(env));
  return new Map(
    databaseNames([...bindings.keys()]).flatMap((name) => {
      const binding = bindings.get(name);
      return isDatabase(binding) ? [[name, binding] as const] : [];
    }),
  );
}

/** Describes the missing settings, and the problems of others. */
function sentenceOf(issues: z.core.$ZodIssue[], env: object): string {
  const named = issues.map(({ path: [name], message }) => ({ name: String(name), message }));
  const missing = named.filter(({ name }) => !(name in env)).map(({ name }) => name);
  const wrong = named.filter(({ name }) => name in env).map(({ name, message }) => `${name} (${message})`);
  return [
    ...(missing.length > 0 ? [`The Worker lacks settings: ${missing.join(", ")}.`] : []),
    ...(wrong.length > 0 ? [`Some of its settings are wrong: ${wrong.join("; ")}.`] : []),
  ].join(" ");
}

/**
 * Returns the checked settings of an environment.
 * @throws an Error that names each setting that is missing or wrong, never its value.
 */
export function settingsOf(env: object): Settings {
  const parsed = SettingsSchema.safeParse(env);
  if (!parsed.success) {
    throw new Error(
      `${sentenceOf(parsed.error.issues, env)} On a laptop, use npm start. For a deployment, npm run deploy says what to set (docs/operations/settings.md).`,
    );
  }
  return parsed.data;
}

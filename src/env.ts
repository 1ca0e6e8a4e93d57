import { z } from "zod";
import type { JobObject } from "./workers/job-object.ts";
import { DEFAULT_POLICY, type JobPolicy } from "./core/job/policy.ts";
import type { ArchiveMessage, TaskMessage } from "./stores/queue-messages.ts";

/** The bindings of wrangler.toml, and the settings as strings. */
export interface Env {
  readonly DB: D1Database;
  readonly MEDIA: R2Bucket;
  readonly JOBS: DurableObjectNamespace<JobObject>;
  readonly INTERACTIVE_QUEUE: Queue<TaskMessage>;
  readonly BULK_QUEUE: Queue<TaskMessage>;
  readonly TRIAL_QUEUE: Queue<TaskMessage>;
  readonly ARCHIVE_QUEUE: Queue<ArchiveMessage>;
}

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
const secret = z.string().min(16);
const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const MEGA = 1_000_000;

/** The settings: docs/operations.md describes each. */
const SettingsSchema = z.object({
  PUBLIC_URL: url,
  S3_ENDPOINT: url,
  S3_BUCKET: z.string().min(1),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),
  SIGNING_SECRET: secret,
  INFERENCE_URL: url,
  INFERENCE_TOKEN: secret,
  MAX_IMAGE_BYTES: count(50 * MEGA),
  MAX_IMAGE_PIXELS: count(100 * MEGA),
  MAX_PROMPTS: count(32),
  MAX_PROMPT_LENGTH: count(200),
  MAX_BODY_BYTES: count(256 * 1024),
  MAX_ACTIVE_JOBS: count(1_000),
  TASK_WINDOW: count(DEFAULT_POLICY.window),
  LEASE_SECONDS: count(DEFAULT_POLICY.leaseMs / 1_000),
  RESEND_SECONDS: count(DEFAULT_POLICY.resendMs / 1_000),
  RETENTION_DAYS: count(DEFAULT_POLICY.retentionMs / 86_400_000),
});

export type Settings = z.infer<typeof SettingsSchema>;

const checked = new WeakMap<object, Settings>();

/**
 * The settings of an environment, checked once.
 * @throws an Error that names each setting that is missing or wrong, never its value.
 */
export function settingsOf(env: Env): Settings {
  const known = checked.get(env);
  if (known !== undefined) return known;
  const parsed = SettingsSchema.safeParse(env);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => `${issue.path.join(".")} (${issue.message})`);
    throw new Error(`Settings missing or wrong: ${names.join("; ")}. See docs/operations.md.`);
  }
  checked.set(env, parsed.data);
  return parsed.data;
}

/** The job protocol's numbers with the operator's settings in them. */
export const policyOf = (settings: Settings): JobPolicy => ({
  ...DEFAULT_POLICY,
  window: settings.TASK_WINDOW,
  leaseMs: settings.LEASE_SECONDS * 1_000,
  resendMs: settings.RESEND_SECONDS * 1_000,
  retentionMs: settings.RETENTION_DAYS * 86_400_000,
});

import { z } from "zod";
import { DEFAULT_POLICY, type JobPolicy } from "./core/job/policy.ts";

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
const secret = z.string().min(16);
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().positive().max(most).default(fallback);

const MEGA = 1_000_000;

/** The settings: docs/operations.md describes each. */
export const SettingsSchema = z.object({
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
  TASK_WINDOW: count(DEFAULT_POLICY.window, 100),
  LEASE_SECONDS: count(DEFAULT_POLICY.leaseMs / 1_000),
  RESEND_SECONDS: count(DEFAULT_POLICY.resendMs / 1_000),
  RETENTION_DAYS: count(DEFAULT_POLICY.retentionMs / 86_400_000),
});

export type Settings = z.infer<typeof SettingsSchema>;

/** The job protocol's numbers with the operator's settings in them. */
export const policyOf = (settings: Settings): JobPolicy => ({
  ...DEFAULT_POLICY,
  window: settings.TASK_WINDOW,
  leaseMs: settings.LEASE_SECONDS * 1_000,
  resendMs: settings.RESEND_SECONDS * 1_000,
  retentionMs: settings.RETENTION_DAYS * 86_400_000,
});

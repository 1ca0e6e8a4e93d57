import { z } from "zod";
import { DEFAULT_POLICY } from "./jobs/rules/policy.ts";
import { isLoopback } from "./shared/public-url.ts";

/** The only addresses that the service fetches or links to. */
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an https URL" });
const url = httpUrl.transform((text) => text.replace(/\/+$/, ""));
const secret = z.string().min(16);
/** The source of all keys of the service: it must be unguessable. 32 bytes in base64 have 43 characters or more. */
const masterSecret = z
  .string()
  .regex(
    /^[A-Za-z0-9+/_-]{43,}={0,2}$/,
    "at least 32 random bytes in base64, as `openssl rand -base64 32` prints them",
  );
/** It grants more than any other secret, and strangers can try guesses at a public address. */
const operatorSecret = z.string().regex(/^[\x21-\x7e]{32,}$/, "at least 32 visible ASCII characters");
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().positive().max(most).default(fallback);

const MEGA = 1_000_000;
/** A later time is not a valid date in answers and alarms. */
const MOST_DAYS = 3_650;
/** The most that storage takes in one PUT. */
const MOST_OBJECT_BYTES = 5 * 1024 ** 3;
/** A Durable Object holds 10 GB, and its tables need space in addition to the bodies. */
const MOST_BACKLOG_BYTES = 5_000 * MEGA;
/** A JobObject stores a request's prompts and taskIds in its record, which may have at most 2 MB. */
const MOST_BODY_BYTES = 1024 ** 2;

/** Asymmetric algorithms only: otherwise the issuer's public key could forge a token. */
const SigningAlgorithm = z.enum([
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

const algorithms = z
  .string()
  .transform((text) => text.split(",").map((name) => name.trim()))
  .pipe(z.array(SigningAlgorithm).min(1));

/** The exact `iss` of tokens: a URL, which the studio fetches from, or another name. */
const tokenIssuer = z
  .string()
  .min(1)
  .regex(/^(?:https?:|(?![a-z][a-z\d+.-]*:))/i, "must be an https URL, or no URL");

/** Names separated by commas or spaces. */
const names = z.string().transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""));

/** Words and phrases separated by commas. */
const labels = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(z.array(z.string().min(1)).min(1));

/** The pools of inference services that can be configured, in the order in which tasks are offered to them by default. */
export const POOLS = ["url", "gateway", "container"] as const;

interface PoolSettings {
  readonly INFERENCE_URL?: string | undefined;
  readonly INFERENCE_CONTAINER: boolean;
  readonly INFERENCE_GATEWAY: boolean;
}

/** Tells for each pool whether it is configured. */
const configuredPools = (settings: PoolSettings): Readonly<Record<(typeof POOLS)[number], boolean>> => ({
  url: settings.INFERENCE_URL !== undefined,
  gateway: settings.INFERENCE_GATEWAY,
  container: settings.INFERENCE_CONTAINER,
});

/** True if the environment has a binding of the name. */
const isBound = z
  .custom<object>(
    (binding) => typeof binding === "object" && binding !== null,
    "a Durable Object's binding, not a variable",
  )
  .optional()
  .transform((binding) => binding !== undefined);

/** A query string, such as `audience=https://api.example.com`. */
const parameters = z.string().transform((text) => Object.fromEntries(new URLSearchParams(text)));

const origins = names.pipe(z.array(httpUrl.transform((text) => new URL(text).origin)));

/** The name of a package on npm, with or without a scope. */
const packageName = z.string().regex(/^(?:@[a-z\d-][a-z\d._-]*\/)?[a-z\d-][a-z\d._-]*$/);

/** The prefix of the secrets in .env. */
const PUBLISHED = "published-for-wrangler-dev-alone";

/** Checks a rule even if other settings are wrong, so that all problems are reported at once. */
const ALWAYS = { when: () => true };

/** The settings: docs/operations/settings.md describes each. */
export const SettingsSchema = z
  .object({
    LOCAL_STACK: z.literal("yes").optional(),
    ALLOW_LOCAL_URLS: z.stringbool().default(false),
    PUBLIC_URL: url,
    S3_ENDPOINT: url,
    S3_BUCKET: z.string().min(1),
    S3_ACCESS_KEY_ID: z.string().min(1),
    S3_SECRET_ACCESS_KEY: z.string().min(1),
    MASTER_SECRET: masterSecret,
    MASTER_SECRET_PREVIOUS: masterSecret.optional(),
    // Empty where wrangler.toml has one, and a deployment none.
    INFERENCE_URL: z.preprocess((text) => (text === "" ? undefined : text), url.optional()),
    INFERENCE_TOKEN: secret.optional(),
    INFERENCE_CONTAINER: isBound,
    INFERENCE_GATEWAY: z.stringbool().default(false),
    INFERENCE_ORDER: names.pipe(z.array(z.enum(POOLS))).default([...POOLS]),
    CONTAINER_INSTANCES: z.coerce.number().int().min(1).max(50).default(1),
    CONTAINER_IMAGE: z.string().default(""),
    // A machine that starts for longer than this would be put to sleep by its own start.
    CONTAINER_SLEEP_SECONDS: z.coerce.number().int().min(120).max(86_400).default(300),
    OPERATOR_TOKEN: operatorSecret.optional(),
    OIDC_ISSUER: tokenIssuer.optional(),
    OIDC_AUDIENCE: z.string().min(1).optional(),
    OIDC_JWKS_URL: httpUrl.optional(),
    OIDC_ALGORITHMS: algorithms.default(["RS256", "ES256", "EdDSA"]),
    OIDC_CLOCK_TOLERANCE_SECONDS: z.coerce.number().int().min(0).max(300).default(30),
    OIDC_OUTAGE_SECONDS: z.coerce.number().int().min(0).max(86_400).optional(),
    CLIENT_PACKAGE: packageName.optional(),
    STUDIO: z.stringbool().default(true),
    STUDIO_NAME: z.string().min(1).max(60).default("Segmentation"),
    STUDIO_LOGO_URL: z.url({ protocol: /^https$/ }).optional(),
    STUDIO_CLIENT_ID: z.string().min(1).optional(),
    STUDIO_SCOPE: z.string().min(1).default("openid email profile offline_access"),
    STUDIO_SIGN_IN_PARAMETERS: parameters.default({}),
    STUDIO_IDENTITY_ORIGINS: origins.default([]),
    MCP: z.stringbool().default(true),
    LABEL_STUDIO: z.stringbool().default(true),
    LABEL_STUDIO_URL: url.optional(),
    LABEL_STUDIO_TOKEN: secret.optional(),
    LABEL_STUDIO_ACCOUNTS: names.optional(),
    CVAT: z.stringbool().default(true),
    CVAT_LABELS: labels.optional(),
    STRIPE_SECRET_KEY: secret.optional(),
    STRIPE_WEBHOOK_SECRET: secret.optional(),
    STRIPE_PRICE_ID: z.string().min(1).optional(),
    STRIPE_FORMER_PRICE_IDS: names.default([]),
    STRIPE_METER_EVENT: z.string().min(1).default("segmentation_units"),
    STRIPE_API_URL: url.default("https://api.stripe.com"),
    BILLING_RETURN_URL: url.optional(),
    UPGRADE_URL: url.optional(),
    TRIAL_OFFER_VERSION: z.string().min(1).default("v1"),
    TRIAL_TOKENS: count(100),
    TRIAL_DAYS: count(14, MOST_DAYS),
    TRIAL_MAX_IMAGES: count(3, 100),
    TRIAL_MAX_ACTIVE_JOBS: count(1),
    TRIAL_MAX_TASKS_PER_DAY: count(200),
    TRIAL_MAX_BACKLOG: count(200),
    TRIAL_REQUIRES_VERIFIED_EMAIL: z.stringbool().default(true),
    TRIAL_MAX_UNUSED_UPLOADS: count(100),
    TRIAL_MAX_UPLOAD_BYTES_PER_DAY: count(1_000 * MEGA),
    MAX_IMAGE_BYTES: count(50 * MEGA, MOST_OBJECT_BYTES),
    MAX_IMAGE_PIXELS: count(100 * MEGA),
    MAX_VIDEO_BYTES: count(2_000 * MEGA, MOST_OBJECT_BYTES),
    MAX_VIDEO_FRAMES: count(3_600),
    MAX_VIDEO_FRAME_PIXELS: count(36 * MEGA),
    MAX_VIDEO_SECONDS: count(7_200),
    MAX_PROMPTS: count(32),
    MAX_PROMPT_LENGTH: count(200),
    MAX_BODY_BYTES: count(256 * 1024, MOST_BODY_BYTES),
    MAX_ACTIVE_JOBS: count(1_000),
    MAX_UNITS_PER_DAY: count(100_000),
    CREDIT_UNITS: count(10_000),
    MAX_UNUSED_UPLOADS: count(10_000),
    MAX_UPLOAD_BYTES_PER_DAY: count(500_000 * MEGA),
    MAX_IMPORT_SECONDS: count(240, 3_600),
    MAX_API_KEYS: count(100, 1_000),
    MAX_WEBHOOK_BACKLOG_BYTES: count(1_000 * MEGA, MOST_BACKLOG_BYTES),
    MAX_BILLING_SESSIONS_PER_HOUR: count(20),
    TASK_WINDOW: count(DEFAULT_POLICY.window, 100),
    LEASE_SECONDS: count(DEFAULT_POLICY.leaseMs / 1_000, 3_600),
    OUTPUT_URL_SECONDS: count(DEFAULT_POLICY.outputUrlMs / 1_000, 7 * 86_400),
    RESEND_SECONDS: count(DEFAULT_POLICY.resendMs / 1_000, 6 * 3_600),
    LOG_INFO_ONE_IN: count(1, 1_000_000),
    LEDGER_OPEN_DAYS: z.coerce.number().int().min(4).max(366).default(14),
    RETENTION_DAYS: count(DEFAULT_POLICY.retentionMs / 86_400_000, MOST_DAYS),
  })
  .refine((settings) => Object.values(configuredPools(settings)).includes(true), {
    path: ["INFERENCE_URL"],
    error: "set it, or INFERENCE_GATEWAY, or bind a container as INFERENCE_CONTAINER",
    ...ALWAYS,
  })
  .refine(
    (settings) => {
      const configured = configuredPools(settings);
      const isAny = Object.values(configured).includes(true);
      return !isAny || settings.INFERENCE_ORDER.some((pool) => configured[pool]);
    },
    { path: ["INFERENCE_ORDER"], error: "names no pool that is configured" },
  )
  .refine(
    (settings) => {
      const configured = configuredPools(settings);
      const needsToken = configured.url || !Object.values(configured).includes(true);
      return !needsToken || settings.INFERENCE_TOKEN !== undefined;
    },
    { path: ["INFERENCE_TOKEN"], error: "set it together with INFERENCE_URL", ...ALWAYS },
  )
  .superRefine((settings, context) => {
    for (const group of [OIDC_GROUP, STRIPE_GROUP, LABEL_STUDIO_GROUP]) {
      const missing = group.filter((name) => settings[name] === undefined);
      if (missing.length === group.length) continue;
      for (const name of missing) {
        context.addIssue({
          code: "custom",
          path: [name],
          message: `missing: set all of ${group.join(", ")}`,
        });
      }
    }
    for (const name of ["MASTER_SECRET", "INFERENCE_TOKEN", "OPERATOR_TOKEN"] as const) {
      if (!settings[name]?.startsWith(PUBLISHED) || isLoopback(settings.PUBLIC_URL)) continue;
      const message = "published with the source code, for wrangler dev alone: generate another";
      context.addIssue({ code: "custom", path: [name], message });
    }
    if (settings.LOCAL_STACK !== undefined) return;
    if (settings.ALLOW_LOCAL_URLS) {
      context.addIssue({
        code: "custom",
        path: ["ALLOW_LOCAL_URLS"],
        message: "only the local stack may send requests to its own machine",
      });
    }
    for (const name of ADDRESSES) {
      for (const address of [settings[name] ?? []].flat()) {
        const message = problemOfAddress(address);
        if (message !== null) context.addIssue({ code: "custom", path: [name], message });
      }
    }
  });

export type Settings = z.infer<typeof SettingsSchema>;

/**
 * The settings that are addresses of other machines. Only the local stack, which passes LOCAL_STACK, has all of them on one
 * machine.
 */
const ADDRESSES = [
  "PUBLIC_URL",
  "S3_ENDPOINT",
  "INFERENCE_URL",
  "OIDC_JWKS_URL",
  "STRIPE_API_URL",
  "BILLING_RETURN_URL",
  "UPGRADE_URL",
  "LABEL_STUDIO_URL",
  "OIDC_ISSUER",
  "STUDIO_IDENTITY_ORIGINS",
] as const;

/** Returns why a deployed Worker may not have an address; null if it may. */
function problemOfAddress(address: string): string | null {
  if (isLoopback(address)) return "a localhost address, unreachable from a deployed Worker";
  if (URL.parse(address)?.protocol !== "http:") return null;
  return "not an https address: tokens and customers' files would be readable on the way. Put TLS in front of it, such as a Cloudflare Tunnel or a proxy with a certificate, and use its https address";
}

/** Set all together or not at all. */
const OIDC_GROUP = ["OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_JWKS_URL"] as const;
const STRIPE_GROUP = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_ID"] as const;

/** The address of Label Studio's uploaded files, and the accounts that may segment them. */
const LABEL_STUDIO_GROUP = ["LABEL_STUDIO_URL", "LABEL_STUDIO_TOKEN", "LABEL_STUDIO_ACCOUNTS"] as const;

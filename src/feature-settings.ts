import { type AccessLimits, accessOf } from "./billing/rules/access.ts";
import type { UploadBudgets } from "./accounts/rules/budgets.ts";
import type { AdmissionTerms } from "./jobs/rules/admission.ts";
import { DEFAULT_POLICY, type JobPolicy } from "./jobs/rules/policy.ts";
import type { Secrets } from "./shared/keys.ts";
import type { PublicUrlTerms } from "./shared/public-url.ts";
import type { TrialOffer } from "./billing/rules/trial.ts";
import type { StudioConfig } from "./http/studio-config.ts";
import type { Settings } from "./settings.ts";

/** Returns the numbers of the job protocol, with the operator's settings. */
export const policyOf = (settings: Settings): JobPolicy => ({
  ...DEFAULT_POLICY,
  window: settings.TASK_WINDOW,
  leaseMs: settings.LEASE_SECONDS * 1_000,
  resendMs: settings.RESEND_SECONDS * 1_000,
  outputUrlMs: settings.OUTPUT_URL_SECONDS * 1_000,
  retentionMs: settings.RETENTION_DAYS * 86_400_000,
});

/** The secrets that the service's own keys are derived from. */
export const secretsOf = (settings: Settings): Secrets => ({
  current: settings.MASTER_SECRET,
  previous: settings.MASTER_SECRET_PREVIOUS ?? null,
});

export const publicUrlTermsOf = (settings: Settings): PublicUrlTerms => ({
  ownUrl: settings.PUBLIC_URL,
  allowsLocal: settings.ALLOW_LOCAL_URLS,
});

/** The bucket's public address, and the credentials that sign for it. */
export interface BucketSettings {
  readonly endpoint: string;
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const bucketSettingsOf = (settings: Settings): BucketSettings => ({
  endpoint: settings.S3_ENDPOINT,
  name: settings.S3_BUCKET,
  accessKeyId: settings.S3_ACCESS_KEY_ID,
  secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
});

export const accessLimitsOf = (settings: Settings): AccessLimits => ({
  trialImagesPerJob: settings.TRIAL_MAX_IMAGES,
  trialActiveJobs: settings.TRIAL_MAX_ACTIVE_JOBS,
  trialTasksPerDay: settings.TRIAL_MAX_TASKS_PER_DAY,
  paidActiveJobs: settings.MAX_ACTIVE_JOBS,
  paidUnitsPerDay: settings.MAX_UNITS_PER_DAY,
  creditUnits: settings.CREDIT_UNITS,
  trialNeedsVerifiedEmail: settings.TRIAL_REQUIRES_VERIFIED_EMAIL,
});

/** The free trial on offer. */
export const trialOfferOf = (settings: Settings): TrialOffer => ({
  version: settings.TRIAL_OFFER_VERSION,
  tokens: settings.TRIAL_TOKENS,
  days: settings.TRIAL_DAYS,
});

/** The page on which people see their usage, upgrade and pay. */
const usagePageOf = ({ STUDIO: hasStudio, PUBLIC_URL: address }: Settings): string =>
  hasStudio ? `${address}/studio/usage` : address;

export const admissionTermsOf = (settings: Settings): AdmissionTerms => ({
  maxPrompts: settings.MAX_PROMPTS,
  maxPromptLength: settings.MAX_PROMPT_LENGTH,
  maxBytes: { image: settings.MAX_IMAGE_BYTES, video: settings.MAX_VIDEO_BYTES },
  trial: trialOfferOf(settings),
  maxTrialBacklog: settings.TRIAL_MAX_BACKLOG,
  upgradeUrl: settings.UPGRADE_URL ?? usagePageOf(settings),
});

export const uploadBudgetsOf = (settings: Settings): UploadBudgets => ({
  trial: {
    maxUnused: settings.TRIAL_MAX_UNUSED_UPLOADS,
    maxDailyBytes: settings.TRIAL_MAX_UPLOAD_BYTES_PER_DAY,
  },
  paid: { maxUnused: settings.MAX_UNUSED_UPLOADS, maxDailyBytes: settings.MAX_UPLOAD_BYTES_PER_DAY },
});

/** The service's patience with the source of an import. */
export interface ImportPatience {
  /** Time for the first byte, from the first request and including redirects, and then for each next chunk. */
  readonly silenceMs: number;
  /** Time for the whole file. */
  readonly totalMs: number;
  /** Time for each portion after the first one; time in which the service is busy storing does not count. */
  readonly portion: { readonly bytes: number; readonly ms: number };
}

const IMPORT_SILENCE_MS = 20_000;
/** 50 kB per second: a slower source holds a place that others wait for, and will not send a large file in time. */
const IMPORT_PORTION = { bytes: 1_500_000, ms: 30_000 };

export const importPatienceOf = (settings: Settings): ImportPatience => ({
  silenceMs: IMPORT_SILENCE_MS,
  totalMs: settings.MAX_IMPORT_SECONDS * 1_000,
  portion: IMPORT_PORTION,
});

/** The identity provider whose access tokens are accepted. */
export interface IdentitySettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Time for which known keys stay in use if they cannot be fetched; absent for an hour. */
  readonly outageSeconds?: number | undefined;
}

/** Null if the operator has none: then only API keys grant access. */
export function identitySettingsOf(settings: Settings): IdentitySettings | null {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_JWKS_URL: jwksUrl } = settings;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return null;
  return {
    issuer,
    audience,
    jwksUrl,
    algorithms: settings.OIDC_ALGORITHMS,
    clockToleranceSeconds: settings.OIDC_CLOCK_TOLERANCE_SECONDS,
    outageSeconds: settings.OIDC_OUTAGE_SECONDS,
  };
}

export interface BillingSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly priceId: string;
  /** Prices whose subscriptions still count. */
  readonly formerPriceIds: readonly string[];
  readonly meterEvent: string;
  readonly apiUrl: string;
  readonly returnUrl: string;
}

/** Null if the operator has none. */
export function billingSettingsOf(settings: Settings): BillingSettings | null {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_ID: priceId,
  } = settings;
  if (secretKey === undefined || webhookSecret === undefined || priceId === undefined) return null;
  return {
    secretKey,
    webhookSecret,
    priceId,
    formerPriceIds: settings.STRIPE_FORMER_PRICE_IDS,
    meterEvent: settings.STRIPE_METER_EVENT,
    apiUrl: settings.STRIPE_API_URL,
    returnUrl: settings.BILLING_RETURN_URL ?? usagePageOf(settings),
  };
}

/** Returns the access of a new subscriber. */
function paidPlanOf(settings: Settings): StudioConfig["paidPlan"] {
  if (billingSettingsOf(settings) === null) return null;
  const subscriber = {
    accessMode: "paid",
    emailVerified: true,
    unitsPerDay: null,
    paidUnits: 0,
    creditUnits: null,
  } as const;
  const { maxImageTasksPerJob, maxActiveJobs, maxUnitsPerDay } = accessOf(
    subscriber,
    accessLimitsOf(settings),
  );
  return {
    maxImageTasksPerJob,
    maxActiveJobs,
    maxUnitsPerDay: maxUnitsPerDay ?? 0,
    maxVideoSeconds: settings.MAX_VIDEO_SECONDS,
    maxVideoFrames: settings.MAX_VIDEO_FRAMES,
  };
}

/** The studio's configuration, and the origins that its pages may connect to. */
export interface StudioSettings extends StudioConfig {
  /** The identity provider's origins. */
  readonly connectOrigins: readonly string[];
  readonly storageOrigin: string;
}

/** Null if the operator has disabled the studio. People can sign in if it is registered with the identity provider. */
export function studioSettingsOf(settings: Settings): StudioSettings | null {
  if (!settings.STUDIO) return null;
  const { OIDC_ISSUER: issuer, STUDIO_CLIENT_ID: clientId } = settings;
  const signIn =
    issuer === undefined || clientId === undefined
      ? null
      : { issuer, clientId, scope: settings.STUDIO_SCOPE, parameters: settings.STUDIO_SIGN_IN_PARAMETERS };
  return {
    name: settings.STUDIO_NAME,
    logoUrl: settings.STUDIO_LOGO_URL ?? null,
    signIn,
    maxImagePixels: settings.MAX_IMAGE_PIXELS,
    maxImageBytes: settings.MAX_IMAGE_BYTES,
    maxVideoBytes: settings.MAX_VIDEO_BYTES,
    paidPlan: paidPlanOf(settings),
    connectOrigins: [
      ...(signIn !== null && URL.canParse(signIn.issuer) ? [new URL(signIn.issuer).origin] : []),
      ...settings.STUDIO_IDENTITY_ORIGINS,
    ],
    storageOrigin: new URL(settings.S3_ENDPOINT).origin,
  };
}

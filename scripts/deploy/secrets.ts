/** The settings that are secrets; docs/operations.md marks them. The Worker needs these in any case. */
export const NEEDED_SECRETS = [
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "MASTER_SECRET",
  "INFERENCE_TOKEN",
] as const;

/** And these if the operator has what they are for. */
export const OPTIONAL_SECRETS = [
  "MASTER_SECRET_PREVIOUS",
  "SIGNING_SECRET",
  "OPERATOR_TOKEN",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
] as const;

const ALL: ReadonlySet<string> = new Set([...NEEDED_SECRETS, ...OPTIONAL_SECRETS]);

/** Whether a setting is a secret. */
export const isSecret = (name: string): boolean => ALL.has(name);

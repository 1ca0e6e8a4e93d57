import { SettingsSchema } from "../../src/settings.ts";
import type { Configuration } from "./configuration.ts";
import { type Finding, missing, warning } from "./finding.ts";
import { isSecret, NEEDED_SECRETS, OPTIONAL_SECRETS } from "./secrets.ts";

/** Stands for the value of a secret, which nobody can read; it suits each of them. */
const SOME_SECRET = "x".repeat(43);

const EXAMPLES: Readonly<Record<string, string>> = {
  PUBLIC_URL: "https://your.domain",
  S3_ENDPOINT: "https://<account>.r2.cloudflarestorage.com",
  INFERENCE_URL: "https://your.inference.service",
};

/** What the Worker will find in its environment: the variables, and the secrets by their names alone. */
function environmentOf(vars: Configuration["vars"], secrets: ReadonlySet<string> | null) {
  const environment: Record<string, unknown> = { ...vars };
  // A missing secret is reported separately; this checks only the others.
  for (const name of NEEDED_SECRETS) environment[name] = SOME_SECRET;
  // Where the secrets are not known, those that a price needs are taken as set: they are listed as unchecked.
  if (secrets === null && vars["STRIPE_PRICE_ID"] !== undefined) {
    for (const name of OPTIONAL_SECRETS) environment[name] = SOME_SECRET;
  }
  for (const name of secrets ?? []) environment[name] ??= SOME_SECRET;
  return environment;
}

function* checkSecrets(
  { vars, command }: Configuration,
  secrets: ReadonlySet<string> | null,
): Generator<Finding> {
  const put = (name: string) => command(`secret put ${name}`);
  for (const name of Object.keys(vars).filter(isSecret)) {
    yield missing(
      name,
      "a secret is in wrangler.toml, where anybody who has the file can read it",
      `remove it from [vars] of wrangler.toml, replace it at its source, then ${put(name)}`,
    );
  }
  for (const name of NEEDED_SECRETS) {
    if (secrets === null || secrets.has(name)) continue;
    const isReplaced = name === "MASTER_SECRET" && secrets?.has("SIGNING_SECRET");
    yield missing(
      name,
      isReplaced
        ? "the secret is not set: it replaces SIGNING_SECRET, which stays for what was sealed and signed before"
        : "the secret is not set",
      put(name),
    );
  }
  if (secrets !== null && !secrets.has("OPERATOR_TOKEN")) {
    yield warning(
      "OPERATOR_TOKEN",
      "without it, npm run admin can neither show nor wake jobs, nor erase an account",
      put("OPERATOR_TOKEN"),
    );
  }
}

/**
 * Checks the Worker's settings as the Worker itself will.
 * @param secrets the names of the secrets that are set; null if they are not known
 */
export function* checkSettings(
  configuration: Configuration,
  secrets: ReadonlySet<string> | null,
): Generator<Finding> {
  const { vars, command } = configuration;
  yield* checkSecrets(configuration, secrets);
  if (vars["LOCAL_STACK"] !== undefined || secrets?.has("LOCAL_STACK")) {
    yield missing(
      "LOCAL_STACK",
      "only the local stack may set it",
      secrets?.has("LOCAL_STACK")
        ? command("secret delete LOCAL_STACK")
        : "remove it from [vars] of wrangler.toml",
    );
  }
  const { LOCAL_STACK: _, ...environment } = environmentOf(vars, secrets);
  for (const { path, message } of SettingsSchema.safeParse(environment).error?.issues ?? []) {
    const name = path.map(String).join(".");
    // Set as a secret: nobody can read it here, so nobody can judge it.
    if (secrets?.has(name) && vars[name] === undefined) continue;
    const example = EXAMPLES[name] === undefined ? "" : ` = "${EXAMPLES[name]}"`;
    yield missing(
      name,
      environment[name] === undefined && !message.startsWith("missing") ? "not set" : message,
      isSecret(name) ? command(`secret put ${name}`) : `set ${name}${example} in [vars] of wrangler.toml`,
    );
  }
  const known = new Set(Object.keys(SettingsSchema.shape));
  for (const name of Object.keys(vars)) {
    if (known.has(name)) continue;
    yield warning(
      name,
      "the Worker has no such setting",
      "correct its name in [vars] of wrangler.toml (docs/operations.md lists all)",
    );
  }
}

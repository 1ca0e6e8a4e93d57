import { isLoopback } from "../../../src/shared/public-url.ts";
import { SettingsSchema } from "../../../src/settings.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";
import type { AccountReport } from "./check-account.ts";
import { type Creation, type Finding, missing, warning } from "./finding.ts";
import { CONTAINER_BINDING, hasContainerBinding } from "./containers.ts";
import { addToOperatorFile } from "../../shared/cloudflare/operator-file.ts";
import { credentialsToClick } from "./r2-credentials.ts";
import { isSecret, NEEDED_SECRETS, OPTIONAL_SECRETS, secretCreations } from "./secrets.ts";

/** Stands for the value of a secret, which nobody can read; it suits each of them. */
const SOME_SECRET = "x".repeat(43);

const EXAMPLES: Readonly<Record<string, string>> = {
  PUBLIC_URL: "https://your.domain",
  S3_ENDPOINT: "https://<account>.r2.cloudflarestorage.com",
  INFERENCE_URL: "https://your.inference.service",
};

/** The Worker's future environment: the variables, and the names of the secrets. */
function environmentOf(configuration: Configuration, secrets: ReadonlySet<string> | null) {
  const { vars } = configuration;
  const environment: Record<string, unknown> = { ...vars };
  if (hasContainerBinding(configuration)) environment[CONTAINER_BINDING] = {};
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
  configuration: Configuration,
  secrets: ReadonlySet<string> | null,
  creationOf: ReturnType<typeof secretCreations>,
): Generator<Finding> {
  const { vars, command, file } = configuration;
  const hasOtherPool = hasContainerBinding(configuration) || vars["INFERENCE_GATEWAY"] === "true";
  const needsNoToken = hasOtherPool && !vars["INFERENCE_URL"];
  const put = (name: string) =>
    `${name.startsWith("S3_") ? `${credentialsToClick(configuration)}; then ` : ""}${command(`secret put ${name}`)}`;
  for (const name of Object.keys(vars).filter(isSecret)) {
    yield missing(
      name,
      `a secret is in ${file}, where anybody who has the file can read it`,
      `remove it from [vars] of ${file}, replace it at its source, then ${put(name)}`,
    );
  }
  for (const name of NEEDED_SECRETS) {
    if (secrets === null || secrets.has(name) || (needsNoToken && name === "INFERENCE_TOKEN")) continue;
    yield missing(name, "the secret is not set", put(name), creationOf(name));
  }
  if (secrets !== null && !secrets.has("OPERATOR_TOKEN")) {
    yield warning(
      "OPERATOR_TOKEN",
      "without it, npm run admin can neither show nor wake jobs, nor erase an account",
      put("OPERATOR_TOKEN"),
      creationOf("OPERATOR_TOKEN"),
    );
  }
}

/** R2's S3 endpoint, which follows from the account. */
function endpointCreation(
  { base, r2_buckets: buckets }: Configuration,
  accountId: string | null,
): Creation | undefined {
  if (accountId === null) return undefined;
  const jurisdiction = buckets.find(({ binding }) => binding === "MEDIA")?.jurisdiction;
  const where = jurisdiction === undefined ? "" : `.${jurisdiction}`;
  const endpoint = `https://${accountId}${where}.r2.cloudflarestorage.com`;
  return {
    question: `Set S3_ENDPOINT to ${endpoint}?`,
    run: () => addToOperatorFile(base, { vars: { S3_ENDPOINT: endpoint } }),
  };
}

/** Returns true if somebody has set it, and not the clone. */
const isOfClone = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && isLoopback(value));

/** Checks the Worker's settings as the Worker itself will. */
export function* checkSettings(
  configuration: Configuration,
  { secrets, accountId }: Pick<AccountReport, "secrets" | "accountId">,
): Generator<Finding> {
  const { vars, command, file } = configuration;
  const creationOf = secretCreations(configuration, secrets, accountId);
  yield* checkSecrets(configuration, secrets, creationOf);
  if (vars["LOCAL_STACK"] !== undefined || secrets?.has("LOCAL_STACK")) {
    yield missing(
      "LOCAL_STACK",
      "only the local stack may set it",
      secrets?.has("LOCAL_STACK") ? command("secret delete LOCAL_STACK") : `remove it from [vars] of ${file}`,
    );
  }
  const { LOCAL_STACK: _, ...environment } = environmentOf(configuration, secrets);
  for (const { path, message } of SettingsSchema.safeParse(environment).error?.issues ?? []) {
    const name = String(path[0]);
    // Set as a secret: nobody can read it here, so nobody can judge it.
    if (secrets?.has(name) && vars[name] === undefined) continue;
    const example = EXAMPLES[name] === undefined ? "" : ` = "${EXAMPLES[name]}"`;
    yield missing(
      name,
      environment[name] === undefined && !message.startsWith("missing") ? "not set" : message,
      isSecret(name) ? command(`secret put ${name}`) : `set ${name}${example} in [vars] of ${file}`,
      name === "S3_ENDPOINT" && isOfClone(vars[name])
        ? endpointCreation(configuration, accountId)
        : creationOf(name),
    );
  }
  const known = new Set(Object.keys(SettingsSchema.shape));
  for (const name of Object.keys(vars)) {
    if (known.has(name)) continue;
    yield warning(
      name,
      "the Worker has no such setting",
      `correct its name in [vars] of ${file} (docs/operations/settings.md lists all)`,
    );
  }
}

import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { writePrivateFile } from "../../shared/state/private-file.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";
import type { Creation } from "./finding.ts";
import { makeCredentials } from "./r2-credentials.ts";
import { operatorEnvOf, readOperatorEnv } from "../../shared/cloudflare/operator-file.ts";

/** The settings that are secrets; docs/operations/settings.md marks them. The Worker needs these in any case. */
export const NEEDED_SECRETS = [
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "MASTER_SECRET",
  "INFERENCE_TOKEN",
] as const;

/** And these if the operator uses their service. */
export const OPTIONAL_SECRETS = [
  "MASTER_SECRET_PREVIOUS",
  "OPERATOR_TOKEN",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "LABEL_STUDIO_TOKEN",
] as const;

const ALL: ReadonlySet<string> = new Set([...NEEDED_SECRETS, ...OPTIONAL_SECRETS]);

/** Returns true if a setting is a secret. */
export const isSecret = (name: string): boolean => ALL.has(name);

/** Those that are any random text. */
const GENERATED = ["MASTER_SECRET", "INFERENCE_TOKEN", "OPERATOR_TOKEN"] as const;

/** 32 random bytes, the strength of the HMAC that most of them key. */
const newSecret = (): string => randomBytes(32).toString("base64url");

const ENV_HEADER = `# Secrets that \`npm run deploy -- --create\` generated. Cloudflare never shows them again: keep this file, to yourself.
# The inference service takes INFERENCE_TOKEN; \`npm run admin\` reads OPERATOR_TOKEN from here. A rotation, a restored database and
# a Worker that is made again need MASTER_SECRET.
`;

/** Generates secrets. Keeps those of an earlier, interrupted run, because they may be in use already. */
async function generate(configFile: string, names: readonly string[]): Promise<Record<string, string>> {
  const known = await readOperatorEnv(configFile);
  const made = Object.fromEntries(names.map((name) => [name, known.get(name) ?? newSecret()]));
  // Before Cloudflare has them: nobody could read them there.
  const lines = Object.entries({ ...Object.fromEntries(known), ...made }).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  await writePrivateFile(operatorEnvOf(configFile), ENV_HEADER + lines.join(""));
  return made;
}

/** Says which file to keep; nothing if there is none. */
export async function keepSentence(configFile: string): Promise<string> {
  const names = [...(await readOperatorEnv(configFile)).keys()];
  if (names.length === 0) return "";
  return `Keep ${basename(operatorEnvOf(configFile))}, and a copy of it elsewhere: it has ${names.join(", ")}, which Cloudflare never shows again.\n`;
}

/** Stores secrets in one call, by Wrangler's standard input: arguments are visible to other processes. */
const store =
  (values: () => Promise<Record<string, string>>): Creation["run"] =>
  async ({ run }) => {
    await run(["secret", "bulk"], JSON.stringify(await values()));
  };

/**
 * The way in which `--create` sets a missing secret: generated, taken from the environment, or made by Cloudflare. None for
 * others.
 * @param secrets the names of those that are set; null if they are not known: then none is made
 */
export function secretCreations(
  configuration: Configuration,
  secrets: ReadonlySet<string> | null,
  accountId: string | null,
): (name: string) => Creation | undefined {
  if (secrets === null) return () => undefined;
  const { base, vars } = configuration;
  const isUsed = (name: string) => name !== "INFERENCE_TOKEN" || Boolean(vars["INFERENCE_URL"]);
  const generated = GENERATED.filter((name) => !secrets.has(name) && isUsed(name));
  // Stripe's without a price would be half of a group, which the Worker refuses.
  const isWanted = (name: string) => !name.startsWith("STRIPE_") || vars["STRIPE_PRICE_ID"] !== undefined;
  const given = [...ALL].filter(
    (name) =>
      !secrets.has(name) &&
      !generated.some((one) => one === name) &&
      isWanted(name) &&
      process.env[name] !== undefined,
  );
  const forGenerated: Creation = {
    question: `Generate ${generated.join(", ")} and store them as secrets?`,
    run: store(() => generate(base, generated)),
  };
  const forGiven: Creation = {
    question: `Store ${given.join(", ")} of the environment as secrets?`,
    run: store(async () => Object.fromEntries(given.map((name) => [name, process.env[name] ?? ""]))),
  };
  const apiToken = process.env["CLOUDFLARE_API_TOKEN"];
  const forBucket: Creation | undefined =
    apiToken === undefined || accountId === null
      ? undefined
      : {
          question:
            "Create an API token for the bucket alone, and store it as S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY?",
          run: store(() => makeCredentials(configuration, accountId, apiToken)),
        };
  return (name) => {
    if (generated.some((one) => one === name)) return forGenerated;
    if (given.includes(name)) return forGiven;
    return name.startsWith("S3_") && !given.some((each) => each.startsWith("S3_")) ? forBucket : undefined;
  };
}

import { SettingsSchema } from "../../../src/settings.ts";
import { Failure } from "../../shared/command-line.ts";
import type { Secrets } from "../../shared/state/secrets.ts";
import type { StackSettings } from "../../shared/state/settings.ts";
import type { LocalStorage } from "../../shared/cloudflare/wrangler-settings.ts";

/** The stack's secrets that the Worker always needs. */
type WorkerSecrets = Pick<Secrets, "MASTER_SECRET" | "INFERENCE_TOKEN" | "OPERATOR_TOKEN">;

/** Returns the token that the Worker and the inference service share: the one set with INFERENCE_URL, else the stack's. */
export function inferenceToken(given: StackSettings, secrets: WorkerSecrets): string {
  const token = given["INFERENCE_TOKEN"];
  if (token === undefined && given["INFERENCE_URL"] !== undefined) {
    throw new Failure("INFERENCE_URL is set without INFERENCE_TOKEN. Set it to the token of that service.");
  }
  return token ?? secrets.INFERENCE_TOKEN;
}

/** Returns the settings without those of a remote inference service: the stack then starts one. */
export function withoutRemoteService(settings: StackSettings): StackSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => name !== "INFERENCE_URL" && name !== "INFERENCE_TOKEN"),
  );
}

/**
 * The Worker's variables on this machine: the stack's values, overridden by the operator's settings.
 * @throws Failure that names each variable that the Worker would refuse at its first request
 */
export function workerValues(
  baseUrl: string,
  inferenceUrl: string,
  storage: LocalStorage,
  secrets: WorkerSecrets,
  given: StackSettings,
): StackSettings {
  const values = {
    MASTER_SECRET: secrets.MASTER_SECRET,
    INFERENCE_TOKEN: secrets.INFERENCE_TOKEN,
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    PUBLIC_URL: baseUrl,
    S3_ENDPOINT: `${baseUrl}/cdn-cgi/local/r2/s3`,
    S3_BUCKET: storage.bucket,
    S3_ACCESS_KEY_ID: storage.accessKeyId,
    S3_SECRET_ACCESS_KEY: storage.secretAccessKey,
    INFERENCE_URL: inferenceUrl,
    // A local queue is in memory: it forgets its messages when the stack stops.
    RESEND_SECONDS: "30",
    // A laptop's webhooks and imports are local.
    ALLOW_LOCAL_URLS: "true",
    ...given,
    LOCAL_STACK: "yes",
  };
  const { error } = SettingsSchema.safeParse(values);
  if (error) {
    const wrong = error.issues.map((issue) => `${issue.path.join(".")} (${issue.message})`);
    throw new Failure(
      `These settings of the Worker are wrong: ${wrong.join("; ")}. See docs/operations/settings.md.`,
    );
  }
  return values;
}

/**
 * Returns one line of an env file in Wrangler's format (dotenv with dotenv-expand): quoted, to keep `#`, spaces and newlines, and
 * with `\$`, to prevent expansion.
 */
function line(name: string, value: string): string {
  const quote = ["'", "`"].find((candidate) => !value.includes(candidate));
  if (quote === undefined)
    throw new Failure(
      `${name} contains both ' and \`, which an env file cannot express. Remove one of them.`,
    );
  return `${name}=${quote}${value.replaceAll("$", "\\$")}${quote}\n`;
}

/** The text of an env file that passes exactly these values to a Worker. */
export function formatEnvFile(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => line(name, value))
    .join("");
}

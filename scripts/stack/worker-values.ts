import { SettingsSchema } from "../../src/settings.ts";
import { Failure } from "../shared/command-line.ts";
import type { Secrets } from "./secrets.ts";
import type { StackSettings } from "./settings.ts";
import type { LocalStorage } from "./wrangler-settings.ts";

/** Those of the stack's secrets that are the Worker's wherever its other settings come from. */
type WorkerSecrets = Pick<Secrets, "SIGNING_SECRET" | "INFERENCE_TOKEN">;

/** The token that the Worker and the inference service share: given with INFERENCE_URL, else the stack's own. */
export function inferenceToken(given: StackSettings, secrets: WorkerSecrets): string {
  const token = given["INFERENCE_TOKEN"];
  if (token === undefined && given["INFERENCE_URL"] !== undefined) {
    throw new Failure("INFERENCE_URL is set, so INFERENCE_TOKEN must be too: the token of that service.");
  }
  return token ?? secrets.INFERENCE_TOKEN;
}

/**
 * The Worker's variables on this machine: what the stack knows, overridden by what the operator set.
 * Fails with the name of each that the Worker would refuse at its first request.
 */
export function workerValues(
  baseUrl: string,
  inferenceUrl: string,
  storage: LocalStorage,
  secrets: WorkerSecrets,
  given: StackSettings,
): StackSettings {
  const values = {
    SIGNING_SECRET: secrets.SIGNING_SECRET,
    INFERENCE_TOKEN: secrets.INFERENCE_TOKEN,
    PUBLIC_URL: baseUrl,
    S3_ENDPOINT: `${baseUrl}/cdn-cgi/local/r2/s3`,
    S3_BUCKET: storage.bucket,
    S3_ACCESS_KEY_ID: storage.accessKeyId,
    S3_SECRET_ACCESS_KEY: storage.secretAccessKey,
    INFERENCE_URL: inferenceUrl,
    ...given,
  };
  const { error } = SettingsSchema.safeParse(values);
  if (error) {
    const wrong = error.issues.map((issue) => `${issue.path.join(".")} (${issue.message})`);
    throw new Failure(`Settings of the Worker are wrong: ${wrong.join("; ")}. See docs/operations.md.`);
  }
  return values;
}

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Failure } from "../shared/command-line.ts";
import { readIfPresent, writePrivateFile } from "./private-file.ts";
import type { StateFolder } from "./state-folder.ts";

/** One that is missing, as in the file of an older stack, is made. */
const secret = z
  .string()
  .min(32)
  .default(() => randomBytes(32).toString("base64url"));

const Secrets = z.object({
  SIGNING_SECRET: secret,
  INFERENCE_TOKEN: secret,
  /** What the Worker shows the payment provider's stand-in, and what that signs its webhooks with. */
  STRIPE_SECRET_KEY: secret,
  STRIPE_WEBHOOK_SECRET: secret,
});
export type Secrets = z.infer<typeof Secrets>;

function parse(state: StateFolder, text: string): Secrets {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${state.secrets} is damaged. Remove it; new secrets are made at the next start.`);
  }
}

/** The stack's own secrets: made at the first start, the same ever after. */
export async function loadSecrets(state: StateFolder): Promise<Secrets> {
  const text = await readIfPresent(state.secrets);
  const secrets = parse(state, text ?? "{}");
  const kept = `${JSON.stringify(secrets, null, 2)}\n`;
  if (kept !== text) await writePrivateFile(state.secrets, kept);
  return secrets;
}

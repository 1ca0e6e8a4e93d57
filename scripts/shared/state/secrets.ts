import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Failure } from "../command-line.ts";
import { readIfPresent, writePrivateFile } from "./private-file.ts";
import type { StateFolder } from "./state-folder.ts";

/** A secret that is generated if it is missing. */
const secret = z
  .string()
  .min(32)
  .default(() => randomBytes(32).toString("base64url"));

const Secrets = z.object({
  MASTER_SECRET: secret,
  INFERENCE_TOKEN: secret,
  OPERATOR_TOKEN: secret,
  /** The Worker's key for Stripe's fake, and the secret with which the fake signs its webhooks. */
  STRIPE_SECRET_KEY: secret,
  STRIPE_WEBHOOK_SECRET: secret,
});
export type Secrets = z.infer<typeof Secrets>;

function parse(state: StateFolder, text: string): Secrets {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${state.secrets} is damaged. Delete it; the next start generates new secrets.`);
  }
}

/** The stack's secrets, generated at the first start and kept from then on. */
export async function loadSecrets(state: StateFolder): Promise<Secrets> {
  const text = await readIfPresent(state.secrets);
  const secrets = parse(state, text ?? "{}");
  const kept = `${JSON.stringify(secrets, null, 2)}\n`;
  if (kept !== text) await writePrivateFile(state.secrets, kept);
  return secrets;
}

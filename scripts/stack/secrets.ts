import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Failure } from "../shared/command-line.ts";
import { readIfPresent, writePrivateFile } from "./private-file.ts";
import type { StateFolder } from "./state-folder.ts";

const Secrets = z.object({ SIGNING_SECRET: z.string().min(32), INFERENCE_TOKEN: z.string().min(32) });
export type Secrets = z.infer<typeof Secrets>;

const fresh = (): string => randomBytes(32).toString("base64url");

/** The stack's own secrets: made at the first start, the same ever after. */
export async function loadSecrets(state: StateFolder): Promise<Secrets> {
  const text = await readIfPresent(state.secrets);
  if (text === null) {
    const secrets: Secrets = { SIGNING_SECRET: fresh(), INFERENCE_TOKEN: fresh() };
    await writePrivateFile(state.secrets, `${JSON.stringify(secrets, null, 2)}\n`);
    return secrets;
  }
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${state.secrets} is damaged. Remove it; new secrets are made at the next start.`);
  }
}

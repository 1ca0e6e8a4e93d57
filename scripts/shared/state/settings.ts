import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, messageOf } from "../error-parts.ts";
import { SettingsSchema } from "../../../src/settings.ts";
import { Failure } from "../command-line.ts";
import { PROJECT_ROOT } from "../root.ts";

export type StackSettings = Readonly<Record<string, string>>;

async function readDevVars(): Promise<StackSettings> {
  try {
    const values = parseEnv(await readFile(join(PROJECT_ROOT, ".dev.vars"), "utf8"));
    return Object.fromEntries(
      Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new Failure(`.dev.vars cannot be read: ${messageOf(error)}`);
  }
}

/** The operator's settings of the Worker: `.dev.vars`, overridden by the environment. */
export async function readSettings(): Promise<StackSettings> {
  const settings: Record<string, string> = { ...(await readDevVars()) };
  for (const name of Object.keys(SettingsSchema.shape)) {
    const value = process.env[name];
    if (value !== undefined && value !== "") settings[name] = value;
  }
  return settings;
}

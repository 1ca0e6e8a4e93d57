import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Failure, systemCode } from "../failure.ts";

/** Content of the file that `login` writes: keys by the addresses of their services, and the default service. */
export interface Config {
  readonly baseUrl?: string | undefined;
  readonly keys: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file's path, in the user's folder for settings. */
function configPath(env: Environment): string {
  const folder =
    env["XDG_CONFIG_HOME"] ||
    env["APPDATA"] ||
    join(env["HOME"] || env["USERPROFILE"] || homedir(), ".config");
  return join(folder, "segmentation-client", "config.json");
}

/** Reads the file; without one there are no keys. @throws Failure if it is damaged */
export async function readConfig(env: Environment): Promise<Config> {
  const path = configPath(env);
  try {
    const { baseUrl, keys = {} }: Partial<Config> = JSON.parse(await readFile(path, "utf8"));
    return { baseUrl, keys };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { keys: {} };
    // The file may have a key: the message must not cite it.
    if (error instanceof SyntaxError)
      throw new Failure(`${path} is damaged. Delete it, and run \`segmentation-client login\` again.`);
    throw error;
  }
}

/** Writes the file, which only its owner can read. Returns its path. */
export async function writeConfig(env: Environment, config: Config): Promise<string> {
  const path = configPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  await rename(part, path);
  return path;
}

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { accountDatabases, DEFAULT_CONFIG, readConfiguration } from "./configuration.ts";
import { Failure } from "../command-line.ts";
import { messageOf } from "../error-parts.ts";
import { PROJECT_ROOT } from "../root.ts";
import { readIfPresent, writePrivateFile } from "../state/private-file.ts";
import { type StateFolder, stackMark } from "../state/state-folder.ts";
import { QUIET_WRANGLER } from "./wrangler.ts";

async function hashOfMigrations(): Promise<string> {
  const folder = join(PROJECT_ROOT, "migrations");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted())
    hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest("hex");
}

/**
 * Brings the local D1 databases up to date. Costs nothing if no migration has changed since the last start.
 * @throws Failure with the statement that failed
 */
export async function applyMigrations(state: StateFolder, signal?: AbortSignal): Promise<void> {
  const stamp = join(state.data, "migrations.sha256");
  const configuration = await readConfiguration(DEFAULT_CONFIG, { operator: false });
  const databases = accountDatabases(configuration).map(({ binding }) => binding);
  const wanted = [await hashOfMigrations(), ...databases].join(" ");
  if ((await readIfPresent(stamp)) === wanted) return;
  const script = join(import.meta.dirname, "migrate-databases.ts");
  try {
    await promisify(execFile)(process.execPath, [script, "--data", state.data], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, ...QUIET_WRANGLER, ...stackMark(state) },
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Failure(`The local databases could not be migrated: ${messageOf(error)}`);
  }
  await writePrivateFile(stamp, wanted);
}

import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { accountDatabases, DEFAULT_CONFIG, readConfiguration } from "../deploy/configuration.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { readIfPresent, writePrivateFile } from "./private-file.ts";
import { type StateFolder, stackMark } from "./state-folder.ts";
import { runWrangler } from "./wrangler.ts";

async function hashOfMigrations(): Promise<string> {
  const folder = join(PROJECT_ROOT, "migrations");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted())
    hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest("hex");
}

/** Brings the local D1 databases up to date. Costs nothing if no migration has changed since the last start. */
export async function applyMigrations(state: StateFolder, signal?: AbortSignal): Promise<void> {
  const stamp = join(state.data, "migrations.sha256");
  const configuration = await readConfiguration(DEFAULT_CONFIG, { operator: false });
  const databases = accountDatabases(configuration).map(({ binding }) => binding);
  const wanted = [await hashOfMigrations(), ...databases].join(" ");
  if ((await readIfPresent(stamp)) === wanted) return;
  for (const database of databases) {
    const args = ["d1", "migrations", "apply", database, "--local", "--persist-to", state.data];
    await runWrangler(args, stackMark(state), signal);
  }
  await writePrivateFile(stamp, wanted);
}

import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { applyMigrations } from "../../../scripts/shared/cloudflare/migrations.ts";
import {
  type StateFolder,
  createStateFolder,
  stateFolder,
} from "../../../scripts/shared/state/state-folder.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { madeOnce } from "../process/made-once.ts";

/** Everything that an empty database depends on. */
const SOURCES = [
  "package-lock.json",
  "wrangler.toml",
  "migrations/*.sql",
  "scripts/shared/cloudflare/migrat*.ts",
];

/**
 * Gives a new stack a copy of migrated databases: migrating takes three seconds of processor time. Does not change existing data.
 */
export async function giveMigratedData(state: StateFolder): Promise<void> {
  if (existsSync(state.data)) return;
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: PROJECT_ROOT }).toSorted())
    hash.update(`${file}\n`).update(await readFile(join(PROJECT_ROOT, file)));
  const migrated = await madeOnce("migrated-stack", hash.digest("hex").slice(0, 16), async (folder) => {
    await createStateFolder(stateFolder(folder));
    await applyMigrations(stateFolder(folder));
  });
  await cp(stateFolder(migrated).data, state.data, { recursive: true });
}

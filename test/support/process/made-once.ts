import { existsSync, globSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockFile } from "../../../scripts/shared/file-lock.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const LOCAL = join(PROJECT_ROOT, ".local");

/**
 * Returns a folder in `.local` that all test files share: the first caller makes it, again whenever the digest of its sources
 * changes. No caller changes it.
 */
export async function madeOnce(
  name: string,
  digest: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(LOCAL, `${name}-${digest}`);
  await mkdir(LOCAL, { recursive: true });
  while (!existsSync(folder)) {
    const lock = lockFile(join(LOCAL, `${name}.lock`));
    if (lock === undefined) {
      await sleep(50);
      continue;
    }
    try {
      if (existsSync(folder)) break;
      for (const former of globSync(`${name}-*`, { cwd: LOCAL }))
        await rm(join(LOCAL, former), { recursive: true });
      await make(`${folder}.new`);
      await rename(`${folder}.new`, folder);
    } finally {
      lock.release();
    }
  }
  return folder;
}

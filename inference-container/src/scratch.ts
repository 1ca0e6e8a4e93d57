import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hasCode } from "./errors.ts";

/** Containers that share a disk may have the same process ids, but never the same host name. */
const PREFIX = `inference-${hostname()}-`;

/** This process's folders: in a restarted container its predecessor may have had the same process id. */
const own = new Set<string>();

/**
 * Makes a folder for the files of running tasks and returns its path. Removes the folders that killed services on this
 * machine left behind.
 */
export async function makeScratch(): Promise<string> {
  const root = tmpdir();
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    const owner = name.startsWith(PREFIX) ? /^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0] : undefined;
    if (owner === undefined || own.has(folder) || (Number(owner) !== process.pid && isAlive(Number(owner))))
      continue;
    await rm(folder, { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(root, `${PREFIX}${process.pid}-`));
  own.add(folder);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

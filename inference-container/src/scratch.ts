import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hasCode } from "./error-code.ts";

/** Containers that share a disk have process ids in common, but no host name. */
const PREFIX = `inference-${hostname()}-`;

/** In a container that was started again this process may have its predecessor's id, but these are its own. */
const own = new Set<string>();

/**
 * Makes a folder for the files of running tasks, and removes those that services of this machine left behind when they
 * were killed.
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

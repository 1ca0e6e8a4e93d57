import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Linux's folder for files in memory. */
const MEMORY = "/dev/shm";
/** The files of a whole run take a quarter of it. */
const LEAST_FREE_BYTES = 4 * 1024 ** 3;
const NAME = /^segmentation-tests-(\d+)$/;

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) > LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/**
 * Returns a folder in memory for a run's temporary files, deleted when this process ends; null if this machine has no space for
 * it. SQLite writes each transaction to the disk before it continues, and the tests make tens of thousands.
 */
export function memoryFolder(): string | null {
  if (!hasRoom()) return null;
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    // The remains of a killed run.
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(MEMORY, name));
  }
  const folder = join(MEMORY, `segmentation-tests-${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.on("exit", () => remove(folder));
  return folder;
}

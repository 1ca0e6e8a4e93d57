import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, systemCode } from "../../failure.ts";

/** Holds a folder for this process. Returns what lets it go. @throws Failure if a living process has it */
export function holdFolder(folder: string): () => void {
  const path = join(folder, "segmentation-journal.lock");
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const holder = holderOf(path);
    if (isAlive(holder))
      throw new Failure(
        `Another run (process ${holder}) is writing to ${folder}. Wait until it has ended, or choose another folder with --out.`,
      );
    // It was killed.
    rmSync(path, { force: true });
  }
}

function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  // A file without a number was cut off while it was written. This process holds nothing yet that it would wait for.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

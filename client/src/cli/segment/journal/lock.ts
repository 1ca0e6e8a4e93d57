import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Failure, systemCode } from "../../failure.ts";

/**
 * Flags that lock a file when it is opened, for systems whose `open` can: O_EXLOCK and O_NONBLOCK of macOS (open(2)),
 * and libuv's UV_FS_O_EXLOCK for Windows, which shares the file with no other process.
 */
const LOCKING: Partial<Record<NodeJS.Platform, number>> = { darwin: 0x24, win32: 0x10000000 };

/**
 * Flags for opening a journal. Windows can't truncate a file that was opened to append, so writes give their position.
 */
export const openFlags = (platform: NodeJS.Platform): number =>
  constants.O_RDWR | constants.O_CREAT | (LOCKING[platform] ?? 0);

/** The codes of `open` for a file that another process has locked. */
const LOCKED = new Set<string | undefined>(["EAGAIN", "EWOULDBLOCK", "EBUSY"]);
/** flock(1) ends with this code if another process holds the lock. */
const IS_HELD = 1;

/**
 * Opens a file for this process alone, and creates it if it is missing. The lock is the system's: it ends with the
 * process, even with a killed one.
 * @returns the file, or undefined if another process has it
 * @throws Failure if the file cannot be locked
 */
export function openLocked(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, openFlags(process.platform), 0o644);
  } catch (error) {
    if (LOCKED.has(systemCode(error))) return undefined;
    throw error;
  }
  if (LOCKING[process.platform] !== undefined) return file;
  // The lock belongs to the open file, not to the process: it remains after the end of flock(1).
  const { status, error, stderr } = spawnSync("flock", ["-n", "3"], {
    stdio: ["ignore", "ignore", "pipe", file],
    encoding: "utf8",
  });
  if (status === 0) return file;
  closeSync(file);
  if (status === IS_HELD) return undefined;
  throw new Failure(
    systemCode(error) === "ENOENT"
      ? "The program flock is missing, which keeps two runs out of the same folder. Install it: it is part of util-linux."
      : `${path} cannot be locked: ${(error?.message ?? stderr).trim()}. Choose a folder on a local disk with --out.`,
  );
}

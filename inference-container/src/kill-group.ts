import { hasCode } from "./errors.ts";

/** Kills a process and all that it started, e.g. FFmpeg; a group that is already gone is not an error. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

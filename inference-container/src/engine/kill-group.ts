import { hasCode } from "../error-code.ts";

/** Ends a process and all that it started, FFmpeg say, at once; a group that is gone already is no error. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

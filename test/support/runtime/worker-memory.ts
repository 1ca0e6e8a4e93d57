import { readFileSync, writeFileSync } from "node:fs";
import { peakIn } from "../../../scripts/shared/processes.ts";
import { findMarked, type Mark } from "../../../scripts/shared/marked-processes.ts";

/** Resets a process's peak of resident memory (proc_pid_clear_refs(5)). Linux only. */
export const resetMostMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");

const isWorkerd = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0]?.endsWith("workerd") ?? false;

/**
 * Runs `act`, and returns the peak of resident memory of the stack's Workers runtime meanwhile, in bytes: the sum over its
 * processes, one of which is the Worker's. Linux only.
 */
export async function peakOfWorker(mark: Mark, act: () => Promise<void>): Promise<number> {
  const runtime = findMarked(mark).filter(isWorkerd);
  for (const pid of runtime) resetMostMemory(pid);
  await act();
  const peaks = runtime.map((pid) => peakIn(readFileSync(`/proc/${pid}/status`, "utf8")));
  return peaks.reduce((sum, peak) => sum + peak, 0);
}

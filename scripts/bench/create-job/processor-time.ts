import { readFileSync } from "node:fs";
import { findMarked, type Mark } from "../../shared/marked-processes.ts";

/** Linux counts processor time in ticks of 10 ms (USER_HZ). */
const TICK_MS = 10;

/** The processor time in the text of /proc/<pid>/stat (fields 14 and 15: user and system), in milliseconds. */
export function processorTimeIn(stat: string): number {
  // The second field is the command in parentheses, and may contain anything.
  const [user = "0", system = "0"] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** The processor time that the running processes with this mark have taken so far, in milliseconds; 0 without /proc. */
export const processorTime = (mark: Mark): number =>
  findMarked(mark).reduce((sum, pid) => {
    try {
      return sum + processorTimeIn(readFileSync(`/proc/${pid}/stat`, "latin1"));
    } catch {
      // It ended after it was found.
      return sum;
    }
  }, 0);

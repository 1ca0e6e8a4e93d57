/** Watches the peaks of resident memory of a family of processes, by role. */
import { readFileSync } from "node:fs";
import { findMarked, type Mark } from "./marked-processes.ts";

/** The roles of processes; the last three are FFmpeg. */
const ROLES = ["service", "engine", "probe", "decoder", "encoder"] as const;
export type Role = (typeof ROLES)[number];

/** The highest peak of one process of each role, in bytes. */
export type Peaks = Readonly<Record<Role, number>>;

/** Short enough to see every FFmpeg, and to read its peak shortly before its end. */
const EVERY_MS = 100;

/** A process's role by its arguments; null if it is not part of the service. */
export function roleOf(args: readonly string[]): Role | null {
  const has = (text: string): boolean => args.some((arg) => arg.includes(text));
  if (has("engine/child.ts")) return "engine";
  if (has("fake-service.ts")) return "service";
  if (!args.includes("-nostdin")) return null;
  if (args.includes("libx264")) return "encoder";
  return args.includes("rawvideo") ? "decoder" : "probe";
}

/** A process's peak of resident memory in bytes, by its /proc/<pid>/status (in KiB); 0 if it has none. */
export const peakIn = (status: string): number =>
  1_024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);

/** Visits the service's running processes that carry a mark, each with the text of its /proc/<pid>/status. */
export function visitProcesses(mark: Mark, visit: (role: Role, status: string, pid: number) => void): void {
  for (const pid of findMarked(mark)) {
    try {
      const role = roleOf(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
      if (role !== null) visit(role, readFileSync(`/proc/${pid}/status`, "utf8"), pid);
    } catch {
      // It ended after it was found.
    }
  }
}

/** Watches the processes that carry a mark until `stop` is called, which returns the peaks. Linux only. */
export function watchMemory(mark: Mark): { stop: () => Peaks } {
  const peaks: Record<Role, number> = { service: 0, engine: 0, probe: 0, decoder: 0, encoder: 0 };
  const look = (): void =>
    visitProcesses(mark, (role, status) => {
      peaks[role] = Math.max(peaks[role], peakIn(status));
    });
  return keepLooking(look, EVERY_MS, peaks);
}

/** Calls `look` now and then until `stop` is called, which calls it once more and returns the samples. */
export function keepLooking<Seen>(look: () => void, everyMs: number, seen: Seen): { stop: () => Seen } {
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return seen;
    },
  };
}

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
      return sum + timeIn(`/proc/${pid}/stat`);
    } catch {
      // It ended after it was found.
      return sum;
    }
  }, 0);

/** The processor time of the service, of its engine, and of the engine's main thread, which is part of it; in milliseconds. */
export interface HostTimes {
  readonly service: number;
  readonly engine: number;
  readonly mainThread: number;
}

/** The processor time that a service with this mark has taken so far. */
export function hostTimes(mark: Mark): HostTimes {
  const times = { service: 0, engine: 0, mainThread: 0 };
  visitProcesses(mark, (role, _, pid) => {
    if (role !== "service" && role !== "engine") return;
    times[role] += timeIn(`/proc/${pid}/stat`);
    // A process's main thread has the process's id.
    if (role === "engine") times.mainThread += timeIn(`/proc/${pid}/task/${pid}/stat`);
  });
  return times;
}

const timeIn = (path: string): number => processorTimeIn(readFileSync(path, "latin1"));

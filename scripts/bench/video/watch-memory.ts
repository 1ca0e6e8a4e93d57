/** The peaks of resident memory of a family of processes, by what they are for. */
import { readFileSync } from "node:fs";
import { findMarked, type Mark } from "../../shared/marked-processes.ts";

/** What a process is for; the last three are FFmpegs. */
export const ROLES = ["service", "engine", "probe", "decoder", "encoder"] as const;
export type Role = (typeof ROLES)[number];

/** The highest peak of one process of each role, in bytes. */
export type Peaks = Readonly<Record<Role, number>>;

/** Short enough that no FFmpeg comes and goes unseen, and that its last look is near its end. */
const EVERY_MS = 100;

/** A process' role by its arguments, null for one that is none of the service's. */
export function roleOf(args: readonly string[]): Role | null {
  const has = (text: string): boolean => args.some((arg) => arg.includes(text));
  if (has("engine/child.ts")) return "engine";
  if (has("stand-in-service.ts")) return "service";
  if (!args.includes("-nostdin")) return null;
  if (args.includes("libx264")) return "encoder";
  return args.some((arg) => arg.startsWith("settb=")) ? "decoder" : "probe";
}

/** The peak in a text of /proc/<pid>/status (`VmHWM`, in KiB) in bytes; 0 where it names none. */
export function peakIn(status: string): number {
  return 1_024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/** Visits the service's living processes that carry a mark, each with its text of /proc/<pid>/status. */
export function visitProcesses(mark: Mark, visit: (role: Role, status: string) => void): void {
  for (const pid of findMarked(mark)) {
    try {
      const role = roleOf(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
      if (role !== null) visit(role, readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      // It ended between being found and being read.
    }
  }
}

/** Watches the processes that carry a mark, until it is stopped and gives what was seen. Linux only. */
export function watchMemory(mark: Mark): { stop: () => Peaks } {
  const peaks: Record<Role, number> = { service: 0, engine: 0, probe: 0, decoder: 0, encoder: 0 };
  const look = (): void =>
    visitProcesses(mark, (role, status) => {
      peaks[role] = Math.max(peaks[role], peakIn(status));
    });
  const timer = setInterval(look, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peaks;
    },
  };
}

import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./command-line.ts";

/**
 * A mark on a family of processes: an environment variable that its first members are started with and all
 * others inherit, however deep and in whatever process group. Who sets it for its children does not carry it.
 */
export type Mark = Readonly<Record<string, string>>;

const entriesOf = (mark: Mark): string[] =>
  Object.entries(mark).map(([name, value]) => Buffer.from(`${name}=${value}`).toString("latin1"));

function carries(pid: string, entries: readonly string[]): boolean {
  try {
    const environment = new Set(readFileSync(`/proc/${pid}/environ`, "latin1").split("\0"));
    return entries.every((entry) => environment.has(entry));
  } catch {
    return false;
  }
}

/** The living processes with this mark, by /proc; none on a system without it. */
export function findMarked(mark: Mark): number[] {
  const entries = entriesOf(mark);
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name) && carries(name, entries)).map(Number);
}

/** Kills (SIGKILL) all processes with this mark; gives how many there were. */
export function killMarked(mark: Mark): number {
  const pids = findMarked(mark);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended between being found and being killed.
    }
  }
  return pids.length;
}

/** Kills all processes with this mark and waits until they are gone; gives how many there were. */
export async function endMarked(mark: Mark): Promise<number> {
  const first = killMarked(mark);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (killMarked(mark) === 0) return first;
    await sleep(50);
  }
  throw new Failure(`These processes can't be ended: ${findMarked(mark).join(", ")}.`);
}

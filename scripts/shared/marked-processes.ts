import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./command-line.ts";

/**
 * A mark on a family of processes: an environment variable. The first members start with it, and all their descendants inherit
 * it, in any process group. The process that sets it for its children does not carry it.
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

/** The ids of the running processes with this mark, read from /proc; empty on a system without /proc. */
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

/** Kills (SIGKILL) all processes with this mark and returns their number. */
export function killMarked(mark: Mark): number {
  const pids = findMarked(mark);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended after it was found.
    }
  }
  return pids.length;
}

/** Kills all processes with this mark, waits until they are gone and returns their number. @throws Failure after 5 seconds */
export async function endMarked(mark: Mark): Promise<number> {
  const first = killMarked(mark);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (killMarked(mark) === 0) return first;
    await sleep(50);
  }
  throw new Failure(`These processes cannot be killed: ${findMarked(mark).join(", ")}.`);
}

/** Reads what the runtime's processes that this process started have used. Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { peakIn } from "./video/watch-memory.ts";

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** The fields of /proc/<pid>/stat behind the command's name: the first is the state, the second the parent. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Whether a process runs workerd, and was started by this one. */
function isOurs(pid: number): boolean {
  try {
    const [command = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return command.endsWith("workerd") && Number(statOf(pid)[1]) === process.pid;
  } catch {
    // It ended after it was found.
    return false;
  }
}

const pids = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger).filter(isOurs);

/** The processor time of the runtime's processes together, in milliseconds. */
export const processorTime = (): number =>
  pids()
    .map(statOf)
    .reduce((sum, fields) => sum + MS_PER_TICK * (Number(fields[11]) + Number(fields[12])), 0);

/** The highest peak of resident memory of one of the runtime's processes, in bytes. */
export const peakMemory = (): number =>
  Math.max(0, ...pids().map((pid) => peakIn(readFileSync(`/proc/${pid}/status`, "utf8"))));

/** Samples the resident memory of the service and its engine over time. Linux only. */
import type { Mark } from "../../shared/marked-processes.ts";
import { spread } from "../statistics.ts";
import { visitProcesses } from "../video/watch-memory.ts";

/** Resident memory at one moment, in bytes. */
export interface MemorySample {
  readonly service: number;
  readonly engine: number;
}

/** The resident memory in the text of /proc/<pid>/status (`VmRSS`, in KiB), in bytes; 0 if it has none. */
export function residentIn(status: string): number {
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/** The medians of the first, the middle and the last third of three or more values, in their order. */
export function thirds(values: readonly number[]): readonly [first: number, middle: number, last: number] {
  const length = Math.floor(values.length / 3);
  const median = (from: number, to: number): number => spread(values.slice(from, to)).median;
  return [
    median(0, length),
    median(length, values.length - length),
    median(values.length - length, values.length),
  ];
}

/** Samples the processes that carry a mark until `stop` is called, which returns the samples. */
export function sampleMemory(mark: Mark, everyMs: number): { stop: () => MemorySample[] } {
  const samples: MemorySample[] = [];
  const look = (): void => {
    const sample = { service: 0, engine: 0 };
    visitProcesses(mark, (role, status) => {
      if (role === "service" || role === "engine") sample[role] = residentIn(status);
    });
    samples.push(sample);
  };
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return samples;
    },
  };
}

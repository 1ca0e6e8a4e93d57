/** Samples the resident memory of an inference service and its engine. */
import { keepLooking, visitProcesses } from "../../../scripts/shared/processes.ts";
import { spread } from "../../../scripts/bench/report.ts";
import type { Mark } from "../../../scripts/shared/marked-processes.ts";

/** Resident memory at one moment, in bytes. */
export interface MemorySample {
  readonly service: number;
  readonly engine: number;
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

/** A process's resident memory in bytes, by its /proc/<pid>/status (in KiB); 0 if it has none. */
export const residentIn = (status: string): number =>
  1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);

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
  return keepLooking(look, everyMs, samples);
}

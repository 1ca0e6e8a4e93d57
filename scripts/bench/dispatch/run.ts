import { setImmediate } from "node:timers/promises";
import type { DispatchBench } from "../arguments.ts";
import type { Column } from "../table.ts";
import { measureBurst, measureFlood, measureOutage } from "./measure.ts";
import { dispatchReport } from "./report.ts";

/** Simulates the dispatch of tasks, with another seed in each round, and returns the report's lines. */
export async function benchDispatch({ rounds }: DispatchBench, signal: AbortSignal): Promise<string[]> {
  const column = async <Run>(heading: string, measure: (seed: number) => Run): Promise<Column<Run>> => {
    const runs: Run[] = [];
    for (let seed = 1; seed <= rounds; seed += 1) {
      // A simulation holds the thread; a signal is heard in between.
      await setImmediate();
      signal.throwIfAborted();
      runs.push(measure(seed));
    }
    return { heading, runs };
  };
  return dispatchReport({
    outage: [
      await column("one service", (seed) => measureOutage({ seed })),
      await column("four services", (seed) => measureOutage({ seed, services: 4 })),
      await column("30 accounts", (seed) => measureOutage({ seed, accounts: 30 })),
      await column("an account with 10 %", (seed) => measureOutage({ seed, largestShare: 0.1 })),
    ],
    flood: [
      await column("1,000 singles", (seed) => measureFlood(1, { seed })),
      await column("1,000 batches of 10", (seed) => measureFlood(10, { seed, seconds: 1_800 })),
      await column("1,000 singles, 50 % load", (seed) => measureFlood(1, { seed, load: 0.5 })),
    ],
    burst: [
      await column("2.5 s per picture", (seed) => measureBurst(2.5, { seed })),
      await column("0.25 s per picture", (seed) => measureBurst(0.25, { seed })),
    ],
  });
}

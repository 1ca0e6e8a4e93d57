import { setImmediate } from "node:timers/promises";
import type { BenchRequest } from "../arguments.ts";
import { type Column, type Row, spreadTable } from "../report.ts";
import {
  measureBacklog,
  measureBurst,
  measureFlood,
  measureOutage,
  type BacklogRun,
  type BurstRun,
  type FloodRun,
  type OutageRun,
  measureWaiting,
  type WaitingRun,
} from "../../../test/support/node/dispatch/measure.ts";

const OUTAGE: readonly Row<OutageRun>[] = [
  ["p99 of the wait, s", ({ p99 }) => p99, 0],
  ["worst wait, s", ({ worst }) => worst, 0],
  ["first in, first out: p99, s", ({ fifoP99 }) => fifoP99, 0],
  ["first in, first out: worst, s", ({ fifoWorst }) => fifoWorst, 0],
  ["**p99 ÷ first in, first out**", ({ p99, fifoP99 }) => p99 / fifoP99, 2],
  ["offers per picture", ({ offers }) => offers, 1],
  ["handed back per picture", ({ handedBack }) => handedBack, 1],
];

const BACKLOG: readonly Row<BacklogRun>[] = [
  ["operations of the queue per second", ({ queueOperations }) => queueOperations, 0],
  ["calls and alarms of objects per second", ({ objects }) => objects, 1],
  ["a day of it by list prices, $", ({ dollarsPerDay }) => dollarsPerDay, 0],
  ["p99 of the wait, s", ({ p99 }) => p99, 0],
  ["first in, first out: p99, s", ({ fifoP99 }) => fifoP99, 0],
  ["**p99 ÷ first in, first out**", ({ p99, fifoP99 }) => p99 / fifoP99, 2],
  ["offers per picture", ({ offers }) => offers, 1],
];

const WAITING: readonly Row<WaitingRun>[] = [
  ["messages per second", ({ messages }) => messages, 0],
  ["operations of the queue per second", ({ queueOperations }) => queueOperations, 0],
  ["a day of it by list prices, $", ({ dollarsPerDay }) => dollarsPerDay, 0],
  ["p99 until the message comes ÷ wait so far", ({ p99Share }) => p99Share, 2],
];

const FLOOD: readonly Row<FloodRun>[] = [
  ["time to the result, s", ({ without }) => without, 1],
  ["the same with 1,000 jobs of another account, s", ({ withFlood }) => withFlood, 1],
  ["**with ÷ without**", ({ without, withFlood }) => withFlood / without, 2],
  ["p95, s", ({ p95Without }) => p95Without, 1],
  ["p95 with 1,000 jobs of another account, s", ({ p95WithFlood }) => p95WithFlood, 1],
];

const BURST: readonly Row<BurstRun>[] = [
  ["time for 1,000 pictures at once, s", ({ took }) => took, 0],
  ["the device alone, s", ({ device }) => device, 0],
  ["**÷ the device alone**", ({ took, device }) => took / device, 2],
  ["offers per picture", ({ offers }) => offers, 1],
];

/** Simulates the dispatch of tasks, with a different seed in each round. Returns the report's lines. */
export async function benchDispatch({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const column = async <Run>(heading: string, measure: (seed: number) => Run): Promise<Column<Run>> => {
    const runs: Run[] = [];
    for (let seed = 1; seed <= rounds; seed += 1) {
      // A simulation blocks the thread; signals are handled in between.
      await setImmediate();
      signal.throwIfAborted();
      runs.push(measure(seed));
    }
    return { heading, runs };
  };
  return [
    "",
    ...spreadTable(OUTAGE, [
      await column("one service", (seed) => measureOutage({ seed })),
      await column("four services", (seed) => measureOutage({ seed, services: 4 })),
      await column("30 accounts", (seed) => measureOutage({ seed, accounts: 30 })),
      await column("one account with 10 %", (seed) => measureOutage({ seed, largestShare: 0.1 })),
    ]),
    "",
    ...spreadTable(BACKLOG, [await column("20,000 wait", (seed) => measureBacklog(20_000, { seed }))]),
    "",
    ...spreadTable(WAITING, [
      await column("20,000, of 1,000 s", (seed) => measureWaiting(20_000, 1_000, seed)),
      await column("200,000, of 10,000 s", (seed) => measureWaiting(200_000, 10_000, seed)),
      await column("200,000, of a day", (seed) => measureWaiting(200_000, 86_400, seed)),
    ]),
    "",
    ...spreadTable(FLOOD, [
      await column("1,000 singles", (seed) => measureFlood(1, { seed })),
      await column("1,000 batches of 10", (seed) => measureFlood(10, { seed, seconds: 1_800 })),
      await column("1,000 singles, 50 % load", (seed) => measureFlood(1, { seed, load: 0.5 })),
    ]),
    "",
    ...spreadTable(BURST, [
      await column("2.5 s per picture", (seed) => measureBurst(2.5, { seed })),
      await column("0.25 s per picture", (seed) => measureBurst(0.25, { seed })),
    ]),
  ];
}

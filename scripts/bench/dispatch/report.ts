import { type Column, type Row, spreadTable } from "../table.ts";
import type { BurstRun, FloodRun, OutageRun } from "./measure.ts";

const OUTAGE: readonly Row<OutageRun>[] = [
  ["p99 of the wait, s", ({ p99 }) => p99, 0],
  ["worst wait, s", ({ worst }) => worst, 0],
  ["first in, first out: p99, s", ({ fifoP99 }) => fifoP99, 0],
  ["first in, first out: worst, s", ({ fifoWorst }) => fifoWorst, 0],
  ["**p99 ÷ first in, first out**", ({ p99, fifoP99 }) => p99 / fifoP99, 2],
  ["offers per picture", ({ offers }) => offers, 1],
  ["handed back per picture", ({ handedBack }) => handedBack, 1],
];

const FLOOD: readonly Row<FloodRun>[] = [
  ["until the result, s", ({ without }) => without, 1],
  ["the same with 1,000 jobs of another account, s", ({ withFlood }) => withFlood, 1],
  ["**with ÷ without**", ({ without, withFlood }) => withFlood / without, 2],
  ["p95, s", ({ p95Without }) => p95Without, 1],
  ["p95 with 1,000 jobs of another account, s", ({ p95WithFlood }) => p95WithFlood, 1],
];

const BURST: readonly Row<BurstRun>[] = [
  ["1,000 pictures at once take, s", ({ took }) => took, 0],
  ["the device alone, s", ({ device }) => device, 0],
  ["**÷ the device alone**", ({ took, device }) => took / device, 2],
  ["offers per picture", ({ offers }) => offers, 1],
];

/** The simulations as Markdown tables. */
export function dispatchReport(measured: {
  readonly outage: readonly Column<OutageRun>[];
  readonly flood: readonly Column<FloodRun>[];
  readonly burst: readonly Column<BurstRun>[];
}): string[] {
  return [
    "",
    ...spreadTable(OUTAGE, measured.outage),
    "",
    ...spreadTable(FLOOD, measured.flood),
    "",
    ...spreadTable(BURST, measured.burst),
  ];
}

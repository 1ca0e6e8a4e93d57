import { describe, expect, it } from "vitest";
import { runVitest } from "../support/process/run-vitest.ts";

const ORDERS = Number(process.env["ORDERS"] ?? 20);
const FIRST_SEED = Number(process.env["SEED"]);

// Files of these projects share runtimes and processes. Those with a browser or the model take minutes, and run in fewer orders.
describe.each([
  ["unit", ORDERS],
  ["client", ORDERS],
  ["worker", ORDERS],
  ["studio", Math.ceil(ORDERS / 10)],
  ["inference", Math.ceil(ORDERS / 10)],
  ["models", Math.ceil(ORDERS / 10)],
] as const)("the tests of the project %s", (project, count) => {
  const orders = Array.from({ length: count }, (_, i) => ({ seed: FIRST_SEED + i, workers: 1 + (i % 2) }));
  it.each(orders)("pass in the order of seed $seed with $workers at a time", async ({ seed, workers }) => {
    const order = ["--sequence.shuffle.files=true", `--sequence.seed=${seed}`];
    const args = [`--project=${project}`, `--maxWorkers=${workers}`, ...order];
    const { code, out } = await runVitest(args, { SEED: String(seed) });
    expect(code, out.slice(-20_000)).toBe(0);
  });
});

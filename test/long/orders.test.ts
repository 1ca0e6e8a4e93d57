import { describe, expect, it } from "vitest";
import { runVitest } from "../support/node/run-vitest.ts";

const ORDERS = Number(process.env["ORDERS"] ?? 20);
const FIRST_SEED = Number(process.env["SEED"]);

const orders = Array.from({ length: ORDERS }, (_, i) => ({ seed: FIRST_SEED + i, workers: 1 + (i % 2) }));

// Files of these projects share runtimes and processes.
describe.each(["unit", "worker"])("the tests of the project %s", (project) => {
  it.each(orders)("pass in the order of seed $seed with $workers at a time", async ({ seed, workers }) => {
    const order = ["--sequence.shuffle.files=true", `--sequence.seed=${seed}`];
    const args = [`--project=${project}`, `--maxWorkers=${workers}`, ...order];
    const { code, out } = await runVitest(args, { SEED: String(seed) });
    expect(code, out.slice(-20_000)).toBe(0);
  });
});

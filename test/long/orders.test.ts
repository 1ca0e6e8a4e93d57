import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";

const ORDERS = Number(process.env["ORDERS"] ?? 20);
const FIRST_SEED = Number(process.env["SEED"]);

/** A run of a project's files in an order drawn from the seed; what it printed, and its exit code. */
async function runInOrder(
  project: string,
  seed: number,
  workers: number,
): Promise<{ code: unknown; out: string }> {
  const args = [
    "run",
    `--project=${project}`,
    `--maxWorkers=${workers}`,
    "--sequence.shuffle.files=true",
    `--sequence.seed=${seed}`,
  ];
  const ofThisRun = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", "vitest"), args, {
    cwd: PROJECT_ROOT,
    env: { ...Object.fromEntries(ofThisRun), SEED: String(seed), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  const [[code], out] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { code, out };
}

// Files of these projects share runtimes and processes. Those with a browser or the model take minutes, and run in fewer orders.
describe.each([
  ["unit", ORDERS],
  ["worker", ORDERS],
  ["client", ORDERS],
  ["studio", Math.ceil(ORDERS / 10)],
  ["inference", Math.ceil(ORDERS / 10)],
] as const)("the tests of the project %s", (project, count) => {
  const orders = Array.from({ length: count }, (_, i) => ({ seed: FIRST_SEED + i, workers: 1 + (i % 2) }));
  it.each(orders)("pass in the order of seed $seed with $workers at a time", async ({ seed, workers }) => {
    const { code, out } = await runInOrder(project, seed, workers);
    expect(code, out.slice(-20_000)).toBe(0);
  });
});

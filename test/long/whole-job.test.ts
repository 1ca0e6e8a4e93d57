import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";

/** Each has 2,000 events and 20 jobs. */
const RUNS = Number(process.env["WHOLE_JOB_RUNS"] ?? 50);
const FILE = "test/long/worker/whole-job.test.ts";

/** One run in a separate runtime. Returns what it printed if it failed. */
async function run(seed: number): Promise<string | null> {
  const vitest = join("node_modules", ".bin", "vitest");
  const child = spawn(vitest, ["run", "--project", "long-worker", FILE], {
    env: { ...process.env, SEED: String(seed) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const [[code], printed] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return code === 0 ? null : printed;
}

it("100,000 random events agree with a model of the job, and 1,000 jobs end once with each message delivered 1 to 20 times", async () => {
  const first = Number(process.env["SEED"]);
  for (let i = 0; i < RUNS; i += 1) {
    const failure = await run(first + i);
    expect(failure, `SEED=${first + i} npm run test:long -- worker/whole-job`).toBeNull();
    process.stdout.write(`whole job: run ${i + 1} of ${RUNS}, seed ${first + i}\n`);
  }
});

import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/client/api-client.ts";
import { sample } from "../support/node/sample.ts";
import { spawnStack, type SpawnedStack } from "../support/node/spawn-stack.ts";

const JOBS = 20;
/** One in CI; `npm run chaos` sets more. */
const ROUNDS = Number(process.env["CHAOS_ROUNDS"] ?? 1);
const ENV = { LEASE_SECONDS: "15", RESEND_SECONDS: "5", HEARTBEAT_SECONDS: "3" };

/** The job ids of every completion that a JobObject took, by the Worker's logs over all starts. */
async function completions(stateDir: string): Promise<string[]> {
  const folder = join(stateDir, "logs");
  const names = (await readdir(folder)).filter((name) => name.startsWith("worker"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.join("\n").matchAll(/\{"time":"[^"]+","level":"info","event":"task_completed".*\}/g);
  return [...lines]
    .map(([line]): { jobId: string; reported: string } => JSON.parse(line))
    .flatMap(({ jobId, reported }) => (reported === "ended" ? [jobId] : []));
}

describe("a power cut", () => {
  let stateDir: string;
  let stack: SpawnedStack;
  let listed = 0;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "killed-"));
    stack = await spawnStack({ stateDir, env: ENV });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    `with ${JOBS} jobs under way loses none of them, and ends none twice (round %i of ${ROUNDS})`,
    async () => {
      const before = createClient(stack);
      const tasks = await Promise.all(
        (["chelsea", "coffee", "astronaut"] as const).map((name) => before.upload(sample(name), "image/png")),
      );
      const jobIds: string[] = [];
      for (let i = 0; i < JOBS; i += 1) {
        const job = { tasks: [tasks[i % tasks.length] ?? ""], prompts: ["cat", "cup", "person"] };
        jobIds.push((await before.createImageJob(job)).jobId);
      }
      const ended = async () => (await completions(stateDir)).filter((jobId) => jobIds.includes(jobId));
      // In the middle: some have ended, some are in hand, some only in the queue's memory.
      await expect.poll(async () => (await ended()).length, { timeout: 60_000 }).toBeGreaterThan(1);
      await stack.kill();
      expect((await ended()).length).toBeLessThan(JOBS);

      stack = await spawnStack({ stateDir, env: ENV });
      const after = createClient(stack);
      const jobs = await Promise.all(jobIds.map((jobId) => after.waitForJob(jobId)));
      expect(jobs.map((job) => job.status)).toEqual(jobIds.map(() => "success"));
      for (const jobId of jobIds) {
        const { manifest } = await after.retrieveJobResult(jobId);
        expect(manifest.items).toHaveLength(1);
        expect(manifest.items[0]?.masks.length).toBeGreaterThan(0);
      }
      // At most once each: the kill may have come between an end and its line in the log.
      const ends = await ended();
      expect(new Set(ends).size).toBe(ends.length);
      listed += JOBS;
      const { items } = await after.listJobs();
      expect(items).toHaveLength(Math.min(listed, 25));
    },
  );
});

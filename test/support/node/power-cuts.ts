import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient } from "../../../scripts/client/api-client.ts";
import { signIn } from "../../../scripts/token/sign-in.ts";
import { Account, AccountOverview } from "../../../src/contract/account.ts";
import { BillingUrl } from "../../../src/contract/billing.ts";
import { at, only, present } from "../at.ts";
import { sample } from "./sample.ts";
import { spawnStack, type SpawnedStack } from "./spawn-stack.ts";

const JOBS = 20;
/** The most jobs that a page of the list has. */
const PAGE = 25;
const ENV = { LEASE_SECONDS: "15", RESEND_SECONDS: "5", HEARTBEAT_SECONDS: "3" };
const EMAIL = "ada.lovelace@example.com";

/** The job id of every completion that a JobObject took, from the Worker's logs of all starts. */
async function completions(stateDir: string): Promise<string[]> {
  const folder = join(stateDir, "logs");
  const names = (await readdir(folder)).filter((name) => name.startsWith("worker"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.join("\n").matchAll(/\{"time":"[^"]+","level":"info","event":"task_completed".*\}/g);
  return [...lines]
    .map(([line]): { jobId: string; reported: string } => JSON.parse(line))
    .flatMap(({ jobId, reported }) => (reported === "ended" ? [jobId] : []));
}

/** The tests of a stack that is killed in the middle of its work and started again, `rounds` times. */
export function describePowerCuts(rounds: number): void {
  describe("a power cut", () => {
    let stateDir: string;
    let stack: SpawnedStack;
    let token: string;
    let accountId: string;
    let listed = 0;

    const call = (path: string, method = "GET", credential = token): Promise<Response> =>
      fetch(`${stack.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${credential}`, "idempotency-key": crypto.randomUUID() },
      });
    const accountOf = async (credential: string): Promise<string> =>
      Account.parse(await (await call("/v1/account", "GET", credential)).json()).accountId;
    const accessMode = async (): Promise<string> =>
      AccountOverview.parse(await (await call("/v1/account/overview")).json()).access.mode;
    const newToken = () => signIn(present(stack.identityUrl, "identityUrl"), EMAIL);
    const pay = async (): Promise<void> => {
      const { url } = BillingUrl.parse(await (await call("/v1/billing/checkout", "POST")).json());
      expect((await fetch(url, { method: "POST", redirect: "manual" })).status).toBe(303);
      await vi.waitUntil(async () => (await accessMode()) === "paid", { timeout: 30_000, interval: 200 });
    };

    beforeAll(async () => {
      stateDir = await mkdtemp(join(tmpdir(), "killed-"));
      stack = await spawnStack({ stateDir, env: ENV });
      token = await newToken();
      accountId = await accountOf(token);
      await pay();
    });
    afterAll(async () => {
      await stack.stop();
      await rm(stateDir, { recursive: true });
    });

    it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      `with ${JOBS} jobs under way loses none of them, and ends none twice (round %i of ${rounds})`,
      async () => {
        const before = createClient(stack);
        const tasks = await Promise.all(
          (["chelsea", "coffee", "astronaut"] as const).map((name) =>
            before.upload(sample(name), "image/png"),
          ),
        );
        const jobIds: string[] = [];
        for (let i = 0; i < JOBS; i += 1) {
          const job = { tasks: [at(tasks, i % tasks.length)], prompts: ["cat", "cup", "person"] };
          jobIds.push((await before.createImageJob(job)).jobId);
        }
        const ended = async () => (await completions(stateDir)).filter((jobId) => jobIds.includes(jobId));
        // In the middle: some jobs have ended, some are being worked on, some are only in the queue's memory.
        await expect.poll(async () => (await ended()).length, { timeout: 60_000 }).toBeGreaterThan(1);
        await stack.kill();
        expect((await ended()).length).toBeLessThan(JOBS);

        stack = await spawnStack({ stateDir, env: ENV });
        const after = createClient(stack);
        // One request for all of them: to poll each would exceed the account's rate of requests.
        const underWay = async () =>
          (await after.listJobs()).items.filter(
            ({ jobId, status }) => jobIds.includes(jobId) && status !== "success" && status !== "failed",
          );
        await expect.poll(underWay, { timeout: 180_000, interval: 1_000 }).toEqual([]);
        for (const jobId of jobIds) {
          expect(await after.retrieveJob(jobId)).toMatchObject({ jobId, status: "success" });
          const { manifest } = await after.retrieveJobResult(jobId);
          expect(only(manifest.items).masks.length).toBeGreaterThan(0);
        }
        // At most once each: the kill may have come between a job's end and its line in the log.
        const ends = await ended();
        expect(new Set(ends).size).toBe(ends.length);
        listed += JOBS;
        const { items } = await after.listJobs();
        expect(items).toHaveLength(Math.min(listed, PAGE));
      },
    );

    it("leaves an account the same to its token and to whoever signs in again, and paid", async () => {
      expect(await accountOf(token)).toBe(accountId);
      expect(await accountOf(await newToken())).toBe(accountId);
      expect(await accessMode()).toBe("paid");
    });
  });
}

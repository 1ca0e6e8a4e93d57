import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient } from "../../../scripts/shared/api-client.ts";
import { signIn } from "../../../scripts/operate/sign-in.ts";
import { stateFolder, type StateFolder } from "../../../scripts/shared/state/state-folder.ts";
import type { JobReport } from "../../../src/jobs/contract/job-report.ts";
import { mapPool } from "../../../src/shared/pool.ts";
import { PROBLEMS } from "@segmentation/protocol";
import { at, present } from "../at.ts";
import { newCustomer, whoIs, type Customer } from "../chaos/customers.ts";
import { Draws } from "../chaos/draws.ts";
import { ALL_FAULTS } from "../chaos/faults.ts";
import {
  countBy,
  countTable,
  isLostAttempt,
  isSuccess,
  isVain,
  Journal,
  type Line,
} from "../chaos/journal.ts";
import type { ChaosModel } from "../chaos/models.ts";
import { endAll, placeAll, type Fate, type Order } from "../chaos/orders.ts";
import { jobReports, ledgerFindings, meteredUnits, reportUsageNow, settledUnits } from "../chaos/outcome.ts";
import { keysInBucket } from "./local-bucket.ts";
import { queryDatabase } from "./local-database.ts";
import { spawnStack, type SpawnedStack } from "./spawn-stack.ts";

/** The extent of a run, and its model. */
export interface PowerCuts {
  /** Number of kills of all processes. */
  readonly rounds: number;
  readonly jobsPerRound: number;
  readonly model: ChaosModel;
  /** Maximum delay of alarms. */
  readonly lateSeconds: number;
}

const TIMES = {
  LEASE_SECONDS: "15",
  RESEND_SECONDS: "2",
  HEARTBEAT_SECONDS: "3",
  // The service deletes late outputs of a deleted job after twice this time.
  OUTPUT_URL_SECONDS: "10",
};

/** One account's rate per minute has to be enough for reading all its jobs. */
const JOBS_PER_CUSTOMER = 400;
/** Every so many jobs, one has a task for each of its customer's pictures and goes through the bulk lane. */
const BULK_EVERY = 10;
/** The steps of successive jobs: the customer ends a third of them. */
const FATES: readonly Fate[] = ["kept", "cancelled", "kept", "kept", "deleted", "kept"];
const MOST_ATTEMPTS = 3;
/** Maximum number of downloads tried among all jobs' assets. */
const MOST_DOWNLOADS = 500;
/** Share of the jobs in progress, in percent, after whose end the power cut comes. */
const CUT_BETWEEN = [5, 60] as const;
/** Every so many rounds, it comes when half of the round's jobs are accepted. */
const EARLY_EVERY = 4;
const POLL_MS = 100;
/** Additional delay of any step on a busy machine: less than the minute after which overdue work is retried. */
const BUSY_MS = 30_000;
/** Number of jobs that meet every kind of fault with any seed. */
const ALL_MET_BY = 2_000;
/** Maximum duration of a life until the power cut comes. */
const LONGEST_LIFE_MS = 300_000;
/**
 * Maximum time from the end of the faults until no job is in progress: a message lost repeatedly is sent again after at most ten
 * minutes (jobs/rules/policy.ts).
 */
const SETTLED_WITHIN_MS = 720_000;

const leaseOf = ({ jobId, taskId, lease }: Line): string => `${jobId} ${taskId} ${lease}`;

/** Returns true if a task fails with this problem only after its last attempt. */
const endsLastAttempt = (code: string | null): boolean =>
  code === "attempts_exhausted" ||
  Object.entries(PROBLEMS).some(([name, { retryable }]) => name === code && retryable);

/**
 * Defines the tests of a stack that is killed in the middle of its work and started again, `rounds` times. Meanwhile its queue
 * drops, doubles, delays and reorders messages, its alarms are late, and its inference service refuses, hangs, dies and loses its
 * reports.
 */
export function describePowerCuts({ rounds, jobsPerRound, model, lateSeconds }: PowerCuts): void {
  describe("power cuts, a queue and an inference service that fail", () => {
    const seed = process.env["SEED"] ?? "0";
    const draws = new Draws(`power cuts ${seed}`);
    const customers: Customer[] = [];
    const orders: Order[] = [];
    let state: StateFolder;
    let journal: Journal;
    let stack: SpawnedStack;
    let reports: JobReport[] = [];
    let unanswered = 0;
    let lives = 0;
    let longestDownMs = 0;

    /** Starts the stack, with different faults in each life; without a seed, without faults. */
    const start = (chaosSeed?: string): Promise<SpawnedStack> =>
      spawnStack({
        stateDir: state.path,
        launcher: "test/support/chaos/start.ts",
        env: {
          ...TIMES,
          ...model.env,
          CHAOS_SERVICE: model.service,
          ...(chaosSeed !== undefined && {
            CHAOS_SEED: chaosSeed,
            CHAOS_LATE_SECONDS: String(lateSeconds),
          }),
        },
      });
    const addOrder = (): void => {
      const customer = at(customers, orders.length % customers.length);
      const { taskIds } = customer;
      orders.push({
        customer,
        idempotencyKey: crypto.randomUUID(),
        tasks:
          orders.length % BULK_EVERY === 0 ? taskIds : [at(taskIds, draws.between(0, taskIds.length - 1))],
        prompts: at(model.prompts, draws.between(0, model.prompts.length - 1)),
        fate: at(FATES, orders.length % FATES.length),
        jobId: null,
        isDone: false,
      });
    };
    const rows = (statement: string) => queryDatabase(state.data, statement);
    const idsOf = (...fates: readonly Fate[]): string[] =>
      orders.filter(({ fate }) => fates.includes(fate)).map(({ jobId }) => present(jobId, "jobId"));
    const keptOrders = (): Order[] => orders.filter(({ fate }) => fate === "kept");
    /** Returns the number of ended jobs among those that no customer ends. */
    const endedJobs = async (): Promise<number> => {
      const ended = await rows("SELECT id FROM jobs WHERE status IN ('success', 'failed')");
      const ids = new Set(ended.map(({ id }) => id));
      return keptOrders().filter(({ jobId }) => ids.has(jobId)).length;
    };
    const ofStatus = (status: string) => reports.filter((report) => report.status === status);
    const tasksOf = (status: string) =>
      reports.flatMap(({ jobId, accountId, tasks }) =>
        tasks.filter((task) => task.status === status).map((task) => ({ ...task, jobId, accountId })),
      );

    beforeAll(async () => {
      state = stateFolder(await mkdtemp(join(tmpdir(), "killed-")));
      journal = new Journal(state.logs);
      stack = await start(`${seed}-1`);
      const count = Math.ceil((rounds * jobsPerRound) / JOBS_PER_CUSTOMER);
      for (let i = 1; i <= count; i += 1)
        customers.push(await newCustomer(stack, `customer.${i}@example.com`, model.width));
    });
    afterAll(async () => {
      await stack.stop();
      await rm(state.path, { recursive: true });
    });

    it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      `everything is killed while ${jobsPerRound} new jobs and those of earlier rounds are under way (%i of ${rounds})`,
      async (round) => {
        for (let i = 0; i < jobsPerRound; i += 1) addOrder();
        const before = await endedJobs();
        const share = draws.between(...CUT_BETWEEN) / 100;
        const placing = placeAll(stack.baseUrl, orders);
        const ending = endAll(stack.baseUrl, orders);
        // In the middle: some have ended, some are in progress, some are only in the queue's memory.
        const haveEnded = async () => (await endedJobs()) > before + share * (keptOrders().length - before);
        // Now and then before all jobs are accepted, so that requests for others are cut off.
        const areHalfAccepted = () => orders.filter(({ jobId }) => jobId === null).length <= jobsPerRound / 2;
        await vi.waitUntil(round % EARLY_EVERY === 0 ? areHalfAccepted : haveEnded, {
          timeout: LONGEST_LIFE_MS,
          interval: POLL_MS,
        });
        await stack.kill();
        const killedAt = Date.now();
        expect(await endedJobs()).toBeLessThan(keptOrders().length);
        unanswered += await placing;
        await ending;
        await journal.endLife();
        lives += 1;
        stack = await start(round < rounds ? `${seed}-${round + 1}` : undefined);
        longestDownMs = Math.max(longestDownMs, Date.now() - killedAt);
      },
      2 * LONGEST_LIFE_MS,
    );

    it(
      "loses no job, leaves none under way, and makes one job of a request that is repeated",
      async () => {
        expect(await placeAll(stack.baseUrl, orders)).toBe(0);
        expect(await endAll(stack.baseUrl, orders)).toBe(true);
        await vi
          .waitUntil(async () => (await endedJobs()) === keptOrders().length, {
            timeout: SETTLED_WITHIN_MS,
            interval: 1_000,
          })
          .catch(() => undefined);
        const underWay = await rows("SELECT id FROM jobs WHERE status NOT IN ('success', 'failed')");
        // Queried only now: a query makes an object restore itself.
        const stuck = await jobReports(
          state,
          stack.baseUrl,
          underWay.map(({ id }) => String(id)),
        );
        expect(stuck, JSON.stringify(stuck)).toEqual([]);
        const listed = await rows("SELECT id FROM jobs ORDER BY id");
        const ids = idsOf("kept", "cancelled");
        expect(listed.map(({ id }) => id)).toEqual(ids.toSorted());
        await journal.endLife();
        reports = await jobReports(state, stack.baseUrl, ids);
        expect(ofStatus("success").length + ofStatus("failed").length).toBe(ids.length);
      },
      2 * SETTLED_WITHIN_MS,
    );

    it("takes no task's completion twice, and none of a lease that had ended", () => {
      const deleted = new Set(idsOf("deleted"));
      const ends = journal.past.filter((line) => isSuccess(line) && !deleted.has(line.jobId ?? ""));
      const won = new Map(
        tasksOf("success").map(({ jobId, taskId, lease }) => [`${jobId} ${taskId}`, lease]),
      );
      // At most once each: a power cut may have come between a task's end and its line in the log.
      expect(new Set(ends.map(({ jobId, taskId }) => `${jobId} ${taskId}`)).size).toBe(ends.length);
      for (const { jobId, taskId, lease } of ends) expect(won.get(`${jobId} ${taskId}`)).toBe(lease);
      const lost = new Set(journal.past.filter(isLostAttempt).map(leaseOf));
      expect(ends.map(leaseOf).filter((lease) => lost.has(lease))).toEqual([]);
    });

    it("takes each lease back in time, but for its alarm's delay and a power cut", () => {
      const late = journal.past.flatMap(({ lateMs }) => lateMs ?? []);
      expect(Math.max(0, ...late)).toBeLessThan(lateSeconds * 1_000 + longestDownMs + BUSY_MS);
    });

    it("fails a task only after three attempts, each of which a fault has cost", () => {
      const lost = journal.past.filter(isLostAttempt);
      const cancelled = new Set(idsOf("cancelled"));
      for (const { jobId, taskId, attempts, problem } of tasksOf("failed")) {
        if (problem === "canceled") {
          expect(cancelled).toContain(jobId);
          continue;
        }
        expect([attempts, endsLastAttempt(problem)], `${jobId}: ${problem}`).toEqual([MOST_ATTEMPTS, true]);
        const leases = lost.filter((line) => line.jobId === jobId && line.taskId === taskId);
        // A power cut may have taken one line.
        expect(leases.length, jobId).toBeGreaterThanOrEqual(MOST_ATTEMPTS - 1);
      }
    });

    it("gives results that name exactly what the winning leases wrote, and that can be downloaded", async () => {
      const keys = new Map(orders.map(({ jobId, customer }) => [jobId, customer.apiKey]));
      const urls = await mapPool(ofStatus("success"), 4, async ({ jobId, accountId, tasks }) => {
        const client = createClient({ baseUrl: stack.baseUrl, apiKey: present(keys.get(jobId), "key") });
        const { assets } = await client.retrieveJobResult(jobId);
        const folders = assets.map(({ url }) => /outputs(\/[^/]+){4}\//.exec(new URL(url).pathname)?.[0]);
        const won = tasks.filter(({ status }) => status === "success");
        expect(new Set(folders)).toEqual(
          new Set(won.map(({ taskId, lease }) => `outputs/${accountId}/${jobId}/${taskId}/${lease}/`)),
        );
        return assets.map(({ url }) => url);
      });
      const statuses = await mapPool(draws.shuffled(urls.flat()).slice(0, MOST_DOWNLOADS), 4, async (url) => {
        const answer = await fetch(url);
        await answer.body?.cancel();
        return answer.status;
      });
      expect(new Set(statuses)).toEqual(new Set([200]));
    });

    it("charges each successful task once, in the ledger and at Stripe, and nothing else", async () => {
      expect(await ledgerFindings(state)).toEqual([]);
      const entries = await rows("SELECT kind, count(*) AS count FROM ledger GROUP BY kind ORDER BY kind");
      expect(entries.map(({ kind, count }) => [kind, count])).toEqual(
        ["release", "reserve", "settle"].map((kind) => [kind, orders.length]),
      );
      const used = Map.groupBy(tasksOf("success"), ({ accountId }) => accountId);
      const deleted = await usedByDeleted();
      const charged = new Map(
        customers.map(({ accountId: id }) => [id, (used.get(id)?.length ?? 0) + (deleted.get(id) ?? 0)]),
      );
      expect(await settledUnits(state)).toEqual(charged);
      await reportUsageNow(state, stack.baseUrl);
      await expect.poll(() => meteredUnits(state), { timeout: 90_000, interval: 500 }).toEqual(charged);
    });

    /**
     * Returns each account's charge for its deleted jobs: each task that is known to have succeeded, and none without an output.
     */
    async function usedByDeleted(): Promise<Map<string, number>> {
      const settled = await rows("SELECT job_id, units FROM ledger WHERE kind = 'settle'");
      const units = new Map(settled.map(({ job_id: jobId, units: count }) => [jobId, Number(count)]));
      const charged = new Map<string, number>();
      for (const { jobId, customer, tasks, fate } of orders) {
        if (fate !== "deleted") continue;
        const ends = journal.past.filter((line) => isSuccess(line) && line.jobId === jobId);
        const used = present(units.get(jobId), "settlement");
        expect(used).toBeGreaterThanOrEqual(ends.length);
        expect(used).toBeLessThanOrEqual(tasks.length);
        charged.set(customer.accountId, (charged.get(customer.accountId) ?? 0) + used);
      }
      return charged;
    }

    it("leaves nothing of a deleted job but its entries in the ledger", async () => {
      await expect
        .poll(() => rows("SELECT job_id FROM deleted_jobs"), { timeout: 90_000, interval: 500 })
        .toEqual([]);
      const keys = await keysInBucket(state.data);
      expect(keys.length).toBeGreaterThan(0);
      for (const order of orders.filter(({ fate }) => fate === "deleted")) {
        const jobId = present(order.jobId, "jobId");
        expect(keys.filter((key) => key.includes(jobId))).toEqual([]);
        const client = createClient({ baseUrl: stack.baseUrl, apiKey: order.customer.apiKey });
        await expect(client.retrieveJob(jobId)).rejects.toMatchObject({ status: 404 });
      }
    });

    it("leaves an account the same for its key and after another sign-in, and paid", async () => {
      const { email, accountId, apiKey } = at(customers, 0);
      const token = await signIn(present(stack.identityUrl, "identityUrl"), email);
      for (const credential of [apiKey, token])
        expect(await whoIs(stack.baseUrl, credential)).toEqual({ accountId, mode: "paid" });
    });

    it("met every kind of fault", async () => {
      const faults = countBy(journal.past.flatMap(({ fault }) => fault ?? []));
      const table = countTable([
        ["power cuts", lives],
        ["jobs", orders.length],
        ["jobs that were cancelled", idsOf("cancelled").length],
        ["jobs that were deleted", idsOf("deleted").length],
        ["requests for a job that a power cut left without an answer", unanswered],
        ["jobs that succeeded", ofStatus("success").length],
        ["jobs that failed", ofStatus("failed").length],
        ...countBy(tasksOf("failed").map(({ problem }) => `tasks that failed: ${problem}`)),
        ["attempts lost", journal.past.filter(isLostAttempt).length],
        ["reports that came twice or too late", journal.past.filter(isVain).length],
        ...faults,
      ]);
      // Vitest hides the console of a passed test.
      process.stdout.write(`\nSEED=${seed} (repeats what is drawn, not when it comes)\n${table}`);
      if (orders.length >= ALL_MET_BY)
        expect([...faults.keys()]).toEqual(expect.arrayContaining([...ALL_FAULTS]));
    });
  });
}

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { mostMeteredUnits } from "../../../src/billing/rules/credit.ts";
import { accessOf } from "../../../src/billing/rules/access.ts";
import { accountRefusal, filesToReserve, laneHasRoom } from "../../../src/jobs/rules/admission.ts";
import { newId } from "../../../src/shared/ids.ts";
import { defineJob } from "../../../src/jobs/rules/define.ts";
import { fundOf } from "../../../src/billing/rules/ledger.ts";
import { ask } from "../../../src/shared/storage/d1-store.ts";
import { accessLimitsOf, admissionTermsOf } from "../../../src/feature-settings.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { useTokens, useUnits } from "../../support/worker/fixtures/ledger.ts";
import { amount } from "../../support/worker/client/random.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const TASKS = Array.from({ length: 3 }, (_, i) => `0000000${i}-0000-4000-8000-000000000000.png`);

/** Inserts a job into the list, with this status. */
const listJob = (accountId: string, status: string, trialTasks: number | null = null): Promise<unknown> =>
  home.DB.prepare(
    `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at, lane)
     VALUES (?1, ?2, 'image', 'single', ?3, ?4, 1, 0, 0, ?5)`,
  )
    .bind(newId("job"), accountId, trialTasks ?? 1, status, trialTasks === null ? "bulk" : "trial")
    .run();

/** Inserts an ended job with this many tasks, listed at `at` (epoch ms). */
const useTasks = (accountId: string, tasks: number, at: number): Promise<unknown> =>
  home.DB.prepare(
    `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, version, created_at, updated_at)
     VALUES (?1, ?2, 'image', 'batch', 'bulk', ?3, 'failed', 2, ?4, ?4)`,
  )
    .bind(newId("job"), accountId, tasks, at)
    .run();

describe("the guard within the transaction that lists a job", () => {
  it("accepts exactly the jobs that the rules of admission accept, in any state of the account", async () => {
    const { jobs, ledger, settings, trialLane, uploads } = home.platform;
    const terms = { ...admissionTermsOf(settings), trial: { version: "v1", tokens: 10, days: 14 } };
    const seen = new Set<string>();
    const acceptance = fc.record({
      accessMode: fc.constantFrom<"trial" | "paid">("trial", "paid"),
      active: fc.nat(2),
      ended: fc.nat(2),
      maxActiveJobs: fc.integer({ min: 1, max: 2 }),
      usedTokens: fc.constantFrom(0, 6, 7, 8, 9, 10),
      age: fc.constantFrom(0, 14 * DAY - 1, 14 * DAY, 15 * DAY),
      pictures: fc.integer({ min: 1, max: 3 }),
      othersTasks: fc.integer({ min: 0, max: 4 }),
      maxTrialBacklog: fc.integer({ min: 1, max: 5 }),
      unitsOfDay: fc.nat(5),
      tasksOfDay: fc.nat(6),
      daysAgo: fc.nat(1),
      maxUnitsPerDay: fc.integer({ min: 0, max: 5 }),
      maxTasksPerDay: fc.integer({ min: 0, max: 8 }),
      maxFilesPerDay: fc.constantFrom(204, 408, 65_000),
      creditUnits: fc.option(fc.nat(6)),
    });
    type Case = typeof acceptance extends fc.Arbitrary<infer T> ? T : never;
    const unhindered: Case = {
      accessMode: "trial",
      active: 0,
      ended: 0,
      maxActiveJobs: 1,
      usedTokens: 0,
      age: 0,
      pictures: 1,
      othersTasks: 0,
      maxTrialBacklog: 5,
      unitsOfDay: 0,
      tasksOfDay: 0,
      daysAgo: 0,
      maxUnitsPerDay: 5,
      maxTasksPerDay: 8,
      maxFilesPerDay: 65_000,
      creditUnits: null,
    };
    /** One for each reason, because a seed may draw none. */
    const examples: Case[] = [
      unhindered,
      { ...unhindered, active: 1 },
      { ...unhindered, active: 1, accessMode: "paid" },
      { ...unhindered, othersTasks: 4, pictures: 3 },
      { ...unhindered, usedTokens: 10 },
      { ...unhindered, usedTokens: 8, pictures: 3 },
      { ...unhindered, usedTokens: 6, age: 14 * DAY },
      { ...unhindered, accessMode: "paid", unitsOfDay: 4, pictures: 2 },
      { ...unhindered, tasksOfDay: 6, pictures: 3 },
      { ...unhindered, maxFilesPerDay: 408, pictures: 3 },
      { ...unhindered, accessMode: "paid", creditUnits: 4, unitsOfDay: 3, daysAgo: 1, pictures: 2 },
    ];
    await fc.assert(
      fc.asyncProperty(
        acceptance,
        async ({ accessMode, active, ended, maxActiveJobs, usedTokens, age, pictures, ...others }) => {
          const { accountId } = await newClient(accessMode);
          await home.DB.prepare("UPDATE jobs SET status = 'success'").run();
          const other = (await newClient("trial")).accountId;
          if (others.othersTasks > 0) await listJob(other, "processing", others.othersTasks);
          await listJob(other, "failed", 100);
          for (let i = 0; i < active; i += 1) await listJob(accountId, i === 0 ? "queued" : "processing");
          for (let i = 0; i < ended; i += 1) await listJob(accountId, i === 0 ? "success" : "failed");
          if (usedTokens > 0) await useTokens(accountId, usedTokens, NOW - age);
          if (others.tasksOfDay > 0) await useTasks(accountId, others.tasksOfDay, NOW - others.daysAgo * DAY);
          if (others.unitsOfDay > 0) await useUnits(accountId, others.unitsOfDay, NOW - others.daysAgo * DAY);

          const request = CreateJobRequest.parse({
            type: "image",
            prompts: ["cat"],
            tasks: TASKS.slice(0, pictures),
          });
          const job = defineJob({ accountId, accessMode }, request, newId("job"), NOW);
          const access = {
            ...accessOf(
              {
                accessMode,
                emailVerified: true,
                unitsPerDay: others.maxUnitsPerDay,
                paidUnits: others.creditUnits === null ? null : 0,
                creditUnits: others.creditUnits,
              },
              accessLimitsOf(settings),
            ),
            maxActiveJobs,
            maxTasksPerDay: others.maxTasksPerDay,
            maxFilesPerDay: others.maxFilesPerDay,
          };
          const proposed = { job, access, units: pictures };
          const refusal = accountRefusal(terms, proposed, await ledger.use(accountId));
          const since = { unused: 0, used: 0 };
          const found = await ask(home.DB, uploads.preconditions(accountId, [], since, true));
          const openTrialTasks = found.openTrialTasks + (await trialLane.openElsewhere());
          const hasRoom = laneHasRoom({ ...terms, ...others }, proposed, openTrialTasks);
          const listing = await jobs.insert(job, {
            maxActiveJobs,
            units: pictures,
            fund: fundOf(accessMode),
            offer: terms.trial,
            maxTrialBacklog: others.maxTrialBacklog,
            maxUnitsPerDay: access.maxUnitsPerDay,
            maxTasksPerDay: access.maxTasksPerDay,
            files: filesToReserve(job),
            maxFilesPerDay: access.maxFilesPerDay,
            maxMeteredUnits: access.credit && mostMeteredUnits(access.credit),
          });
          const letIn = refusal === null && hasRoom;
          expect(listing.listed).toBe(letIn);
          if (accessMode === "trial")
            expect(listing.openTrialTasks).toBe(openTrialTasks + (letIn ? pictures : 0));
          seen.add(refusal?.code ?? (hasRoom ? "let in" : "no room"));
        },
      ),
      {
        seed: Number(env.SEED),
        numRuns: amount({ short: 20, long: 500 }),
        examples: examples.map((example) => [example]),
      },
    );
    expect([...seen].toSorted()).toEqual([
      "active_job_exists",
      "daily_limit_reached",
      "let in",
      "no room",
      "payment_required",
      "too_many_active_jobs",
      "trial_exhausted",
      "trial_expired",
      "trial_insufficient",
    ]);
  });
});

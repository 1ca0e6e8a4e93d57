import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, usedOnDay } from "../../../src/billing/rules/usage.ts";
import { newId } from "../../../src/shared/ids.ts";
import { defineJob } from "../../../src/jobs/rules/define.ts";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { costOf, useUnits } from "../../support/worker/fixtures/ledger.ts";
import { amount } from "../../support/worker/client/random.ts";

const DAY = 86_400_000;

/** A job of the model. */
interface ModelJob {
  readonly jobId: string;
  readonly reserved: number;
  readonly day: number;
  held: number;
  hasEnded: boolean;
}

describe("the use of a day", () => {
  const LIMIT = 10;
  const request = CreateJobRequest.parse({
    type: "image",
    prompts: ["cat"],
    tasks: ["00000000-0000-4000-8000-000000000000.png"],
  });

  const insert = async (accountId: string, units: number, now: number) => {
    const job = defineJob({ accountId, accessMode: "paid" }, request, newId("job"), now);
    const listing = await home.platform.jobs.insert(job, {
      maxActiveJobs: 1_000,
      maxTrialBacklog: 1,
      maxUnitsPerDay: LIMIT,
      maxTasksPerDay: 1_000,
      maxMeteredUnits: null,
      files: 1,
      maxFilesPerDay: 1_000_000_000,
      units,
      fund: "paid",
      offer: { version: "v1", tokens: 1, days: 1 },
    });
    return { jobId: job.jobId, units, ...listing };
  };

  it("agrees with a model for any jobs, ends, failures and withdrawals on any day [4.3-41]", async () => {
    const anyStep = fc.oneof(
      fc.record({
        kind: fc.constant("at once" as const),
        units: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({
        kind: fc.constant("settle" as const),
        job: fc.nat(9),
        used: fc.nat(6),
        processed: fc.nat(9),
      }),
      fc.record({ kind: fc.constant("withdraw" as const), job: fc.nat(9) }),
      fc.record({ kind: fc.constant("pass" as const), hours: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30 }), async (steps) => {
        const { accountId } = await newClient();
        const known: ModelJob[] = [];
        let now = Date.UTC(2026, 0, 15, 12);
        const used = () =>
          known.filter(({ day }) => day === dayOf(now)).reduce((sum, { held }) => sum + held, 0);
        for (const step of steps) {
          if (step.kind === "pass") {
            now += step.hours * 3_600_000;
          } else if (step.kind === "at once") {
            const answers = await Promise.all(step.units.map((units) => insert(accountId, units, now)));
            for (const { jobId, units, listed } of answers)
              if (listed)
                known.push({ jobId, reserved: units, held: units, day: dayOf(now), hasEnded: false });
            // No units were given back meanwhile: refused jobs did not fit.
            for (const { units, listed } of answers)
              if (!listed) expect(used() + units).toBeGreaterThan(LIMIT);
          } else {
            const job = known[step.job];
            if (job === undefined || job.hasEnded) continue;
            job.hasEnded = true;
            if (step.kind === "withdraw") {
              job.held = 0;
              await home.platform.jobs.withdraw(job.jobId, now);
            } else {
              job.held = Math.min(Math.max(step.used, step.processed), job.reserved);
              const end = { version: 2, status: "success", error: null, updatedAt: now } as const;
              const cost = { ...costOf(step.used), processedUnits: step.processed };
              await home.platform.jobs.project({ jobId: job.jobId, cost, ...end });
            }
          }
          expect(used()).toBeLessThanOrEqual(LIMIT);
          expect(usedOnDay((await home.platform.ledger.use(accountId)).daily, now).units).toBe(used());
        }
      }),
      { numRuns: amount({ short: 10, long: 1_000 }), seed: Number(env.SEED) },
    );
  });

  it("can't be bypassed by a job requested before midnight and listed after it", async () => {
    const { accountId } = await newClient();
    const midnight = Date.UTC(2026, 0, 16);
    expect((await insert(accountId, 8, midnight)).listed).toBe(true);
    expect((await insert(accountId, 3, midnight - 1)).listed).toBe(false);
    expect((await insert(accountId, 2, midnight - 1)).listed).toBe(true);
    expect((await insert(accountId, 1, midnight + 1)).listed).toBe(false);
    expect((await insert(accountId, 10, midnight + DAY)).listed).toBe(true);
  });

  it("leaves out earlier days' jobs that are listed again after a restore", async () => {
    const { accountId } = await newClient();
    const midnight = Date.UTC(2026, 0, 16);
    await useUnits(accountId, 2, midnight + 1);
    await useUnits(accountId, 7, midnight - 2 * 3_600_000);
    expect((await home.platform.ledger.use(accountId)).daily).toMatchObject({
      day: dayOf(midnight),
      units: 2,
    });
  });

  it("is one row of an account with any number of jobs, separate from other accounts", async () => {
    const [one, other] = [(await newClient()).accountId, (await newClient()).accountId];
    for (let day = 0; day < 3; day += 1) await useUnits(one, 4, day * DAY);
    await useUnits(other, 7, 0);
    const { results } = await home.DB.prepare(
      "SELECT account_id, day, units FROM daily_use ORDER BY units",
    ).all();
    expect(results).toEqual([
      { account_id: one, day: 2, units: 4 },
      { account_id: other, day: 0, units: 7 },
    ]);
  });
});

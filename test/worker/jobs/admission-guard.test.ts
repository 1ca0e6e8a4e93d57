import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../src/contract/job.ts";
import { accessOf } from "../../../src/core/access.ts";
import { accountRefusal } from "../../../src/core/admission.ts";
import { newId } from "../../../src/core/ids.ts";
import { defineJob } from "../../../src/core/job/define.ts";
import { fundOf } from "../../../src/core/ledger.ts";
import { platformOf } from "../../../src/platform.ts";
import { accessLimitsOf, admissionTermsOf } from "../../../src/settings.ts";
import { newClient } from "../../support/worker/api.ts";
import { useTokens } from "../../support/worker/ledger.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const TASKS = Array.from({ length: 3 }, (_, i) => `0000000${i}-0000-4000-8000-000000000000.png`);

/** A job's place in the list, as it stands while the job is under way or after its end. */
const listJob = (accountId: string, status: string): Promise<unknown> =>
  env.DB.prepare(
    `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at)
     VALUES (?1, ?2, 'image', 'single', 1, ?3, 1, 0, 0)`,
  )
    .bind(newId("job"), accountId, status)
    .run();

describe("the guard within the transaction that lists a job", () => {
  it("lets in exactly the jobs that the rules of admission let in, however the account stands", async () => {
    const { jobs, ledger, settings } = platformOf(env);
    const terms = { ...admissionTermsOf(settings), trial: { version: "v1", tokens: 10, days: 14 } };
    const seen = new Set<string>();
    const standing = fc.record({
      accessMode: fc.constantFrom("trial", "paid"),
      active: fc.nat(2),
      ended: fc.nat(2),
      maxActiveJobs: fc.integer({ min: 1, max: 2 }),
      usedTokens: fc.constantFrom(0, 6, 7, 8, 9, 10),
      age: fc.constantFrom(0, 14 * DAY - 1, 14 * DAY, 15 * DAY),
      pictures: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        standing,
        async ({ accessMode, active, ended, maxActiveJobs, usedTokens, age, pictures }) => {
          const { accountId } = await newClient(accessMode);
          for (let i = 0; i < active; i += 1) await listJob(accountId, i === 0 ? "queued" : "processing");
          for (let i = 0; i < ended; i += 1) await listJob(accountId, i === 0 ? "success" : "failed");
          if (usedTokens > 0) await useTokens(accountId, usedTokens, NOW - age);

          const request = CreateJobRequest.parse({
            type: "image",
            prompts: ["cat"],
            tasks: TASKS.slice(0, pictures),
          });
          const job = defineJob({ accountId, accessMode }, request, newId("job"), NOW);
          const access = { ...accessOf(accessMode, accessLimitsOf(settings)), maxActiveJobs };
          const refusal = accountRefusal(
            terms,
            { job, access, units: pictures },
            await ledger.use(accountId),
          );
          const { listed } = await jobs.insert(job, {
            maxActiveJobs,
            units: pictures,
            fund: fundOf(accessMode),
            offer: terms.trial,
          });
          expect(listed).toBe(refusal === null);
          seen.add(refusal?.code ?? "let in");
        },
      ),
      { seed: Number(env.SEED), numRuns: 150 },
    );
    expect([...seen].toSorted()).toEqual([
      "active_job_exists",
      "let in",
      "too_many_active_jobs",
      "trial_exhausted",
      "trial_expired",
      "trial_insufficient",
    ]);
  });
});

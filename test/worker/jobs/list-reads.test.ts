import { beforeEach, describe, expect, it } from "vitest";
import type { ListJobsQuery } from "../../../src/jobs/contract/job.ts";
import { ProcessingMode, Status } from "../../../src/shared/api/primitives.ts";
import { jobsPage } from "../../../src/jobs/store/jobs-page.ts";
import { at } from "../../support/at.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { planOf } from "../../support/worker/runtime/query-plans.ts";

/** Each pair of status and mode has more jobs than a page. */
const PAIRS = Status.options.flatMap((status) => ProcessingMode.options.map((mode) => [status, mode]));
const LIMIT = 25;
const FEW = PAIRS.length * (LIMIT + 5);

const jobIdOf = (accountId: string, number: number): string =>
  `job_${accountId.slice(-8)}${number.toString(16).padStart(24, "0")}`;

/** Lists FEW jobs of the pairs in turn, each followed by `between` successful batches: a long history hides the rare. */
async function listJobs(accountId: string, between: number): Promise<void> {
  const jobs = Array.from({ length: FEW * (1 + between) }, (_, number) => [
    jobIdOf(accountId, number),
    ...(number % (1 + between) === 0
      ? at(PAIRS, (number / (1 + between)) % PAIRS.length)
      : ["success", "batch"]),
  ]);
  await home.DB.prepare(
    `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
     SELECT value ->> 0, ?1, 'image', value ->> 2, 'bulk', 2, value ->> 1, 0, 0 FROM json_each(?2)`,
  )
    .bind(accountId, JSON.stringify(jobs))
    .run();
}

/** Every combination of filters, with the sentence that names it. */
const FILTERS: { name: string; query: Omit<ListJobsQuery, "jobId">; byId: boolean; deep: boolean }[] = [
  undefined,
  ...Status.options,
].flatMap((status) =>
  [undefined, ...ProcessingMode.options].flatMap((mode) =>
    [false, true].flatMap((byId) =>
      [false, true].map((deep) => ({
        name: `status ${status ?? "any"}, mode ${mode ?? "any"}, ${byId ? "one jobId" : "any jobId"}, ${deep ? "a deep page" : "the first page"}`,
        query: { limit: LIMIT, status, mode },
        byId,
        deep,
      })),
    ),
  ),
);

describe("a page of the list", () => {
  let few: string;
  let many: string;
  beforeEach(async () => {
    few = (await newClient()).accountId;
    many = (await newClient()).accountId;
    await listJobs(few, 0);
    await listJobs(many, 19);
  });

  it("is read from an index, without a scan and without a sort, for every combination of filters", async () => {
    for (const { name, query, byId, deep } of FILTERS) {
      const { sql } = jobsPage(few, { ...query, ...(byId && { jobId: "job_1" }) }, deep ? "job_2" : null);
      const plan = await planOf(sql);
      expect(plan.join("\n"), name).not.toMatch(/SCAN|TEMP B-TREE/);
      if (byId) expect(plan, name).toEqual([expect.stringMatching(/sqlite_autoindex_jobs_1 \(id=\?\)/)]);
    }
  });

  it("of what continues a job is read from an index of such jobs alone", async () => {
    for (const before of [null, "job_2"]) {
      const { sql } = jobsPage(few, { limit: LIMIT, continues: "job_1", status: "success" }, before);
      expect(await planOf(sql)).toEqual([expect.stringMatching(/^SEARCH jobs USING INDEX jobs_continuing/)]);
    }
  });

  it("has exactly the jobs that the filters name, newest first", async () => {
    const { results: all } = await home.DB.prepare(
      "SELECT id, status, mode FROM jobs WHERE account_id = ?1 ORDER BY id DESC",
    )
      .bind(few)
      .all();
    for (const { name, query, byId, deep } of FILTERS) {
      const named = byId ? { jobId: jobIdOf(few, 7) } : {};
      const before = deep ? jobIdOf(few, FEW / 2) : null;
      const expected = all.filter(
        ({ id, status, mode }) =>
          (query.status ?? status) === status &&
          (query.mode ?? mode) === mode &&
          (named.jobId ?? id) === id &&
          (before === null || String(id) < before),
      );
      const page = await home.platform.jobs.list(few, { ...query, ...named, limit: FEW }, before);
      expect(
        page.map(({ jobId }) => jobId),
        name,
      ).toEqual(expected.map(({ id }) => id));
    }
  });

  it("reads as many rows of an account with many jobs as of one with few, for every combination of filters", async () => {
    const read = async (accountId: string, jobs: number, { query, byId, deep }: (typeof FILTERS)[number]) => {
      const { sql, values } = jobsPage(
        accountId,
        { ...query, ...(byId && { jobId: jobIdOf(accountId, 0) }) },
        deep ? jobIdOf(accountId, jobs * 0.95) : null,
      );
      const { results, meta } = await home.DB.prepare(sql)
        .bind(...values)
        .all();
      return { jobs: results.length, rows: meta.rows_read };
    };
    for (const filter of FILTERS) {
      const most = await read(many, FEW * 20, filter);
      expect(most, filter.name).toEqual(await read(few, FEW, filter));
      expect(most.rows, filter.name).toBeLessThanOrEqual(LIMIT + 3);
    }
  });
});

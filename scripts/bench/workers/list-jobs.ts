import { z } from "zod";
import type { ListJobsQuery } from "../../../src/contract/job.ts";
import { Jobs } from "../../../src/stores/jobs/jobs.ts";

/** Runs in the Workers runtime: fills two databases with the jobs of one account, and reads pages of its list. */

interface Env {
  readonly FEW: D1Database;
  readonly MANY: D1Database;
}

const ACCOUNT = "acct_of_the_benchmark";
const LIMIT = 26;
/** How many jobs failed, however many there are. */
const FAILED = 30;
const STEP = 50_000;

const Command = z.discriminatedUnion("do", [
  z.object({ do: z.literal("run"), db: z.enum(["FEW", "MANY"]), statements: z.array(z.string()) }),
  z.object({ do: z.literal("fill"), db: z.enum(["FEW", "MANY"]), jobs: z.int() }),
  z.object({
    do: z.literal("read"),
    db: z.enum(["FEW", "MANY"]),
    jobs: z.int(),
    filter: z.string(),
    pages: z.int(),
  }),
]);

const jobIdOf = (number: number): string => `job_${number.toString(16).padStart(32, "0")}`;

/** Jobs of all modes, of which FAILED at equal distances failed and the others succeeded. */
async function fill(db: D1Database, jobs: number): Promise<void> {
  await db
    .prepare(
      "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, 'a@example.com', 'paid', 0, 0)",
    )
    .bind(ACCOUNT)
    .run();
  for (let from = 0; from < jobs; from += STEP) {
    await db
      .prepare(
        `WITH RECURSIVE numbers (n) AS
           (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?3)
         INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at)
         SELECT 'job_' || printf('%032x', n), ?1, 'image',
           CASE n % 3 WHEN 0 THEN 'single' WHEN 1 THEN 'batch' ELSE 'video' END, 1,
           CASE n % CAST(?4 AS INTEGER) WHEN 0 THEN 'failed' ELSE 'success' END, 3, n, n
         FROM numbers`,
      )
      .bind(ACCOUNT, from, Math.min(from + STEP, jobs), Math.floor(jobs / FAILED))
      .run();
  }
}

/** A page of a filter; deep pages start anywhere in the older half. */
function pageOf(filter: string, jobs: number): { query: ListJobsQuery; before: string | null } {
  const anywhere = jobIdOf(Math.floor((Math.random() * jobs) / 2) + LIMIT * 3);
  const [, status] = /status=(\w+)/.exec(filter) ?? [];
  const [, mode] = /mode=(\w+)/.exec(filter) ?? [];
  return {
    query: {
      limit: LIMIT,
      ...(status !== undefined && { status: z.enum(["success", "failed"]).parse(status) }),
      ...(mode !== undefined && { mode: z.enum(["batch"]).parse(mode) }),
      ...(filter.includes("jobId") && { jobId: anywhere }),
    },
    before: filter.includes("deep") ? anywhere : null,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const command = Command.parse(await request.json());
    const db = env[command.db];
    switch (command.do) {
      case "run":
        for (const statement of command.statements) await db.prepare(statement).run();
        return Response.json(null);
      case "fill":
        await fill(db, command.jobs);
        return Response.json(null);
      case "read": {
        const list = new Jobs(db);
        const begun = performance.now();
        for (let i = 0; i < command.pages; i += 1) {
          const page = pageOf(command.filter, command.jobs);
          await list.list(ACCOUNT, page.query, page.before);
        }
        return Response.json((performance.now() - begun) / command.pages);
      }
    }
  },
};

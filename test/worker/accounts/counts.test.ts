import { describe, expect, it } from "vitest";
import { newId } from "../../../src/shared/ids.ts";
import { Meter } from "../../support/worker/abuse/meter.ts";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { finishJob, FakeInference } from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob, presign, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { Draw } from "../../support/worker/client/random.ts";

/** An account's row of counts. */
const counted = (accountId: string): Promise<unknown> =>
  home.DB.prepare("SELECT unused_uploads, active_jobs FROM account_counts WHERE account_id = ?")
    .bind(accountId)
    .first();

/** Counts the same rows directly. */
const counts = (accountId: string): Promise<unknown> =>
  home.DB.prepare(
    `SELECT (SELECT count(*) FROM uploads WHERE account_id = ?1 AND unused = 1) AS unused_uploads,
       (SELECT count(*) FROM jobs WHERE account_id = ?1 AND status IN ('queued', 'processing')) AS active_jobs`,
  )
    .bind(accountId)
    .first();

const MODES = ["single", "batch", "video"] as const;
const STATUSES = ["queued", "processing", "success", "failed"] as const;

/** Gives an account this many unused uploads, and this many unfinished jobs of each kind. */
async function fill({ accountId }: Client, uploads: number, jobs: number): Promise<void> {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";
  const now = Date.now();
  await home.DB.prepare(
    `${numbers} INSERT INTO uploads (task_id, account_id, content_type, created_at, unused)
     SELECT ?1 || '-' || i, ?1, 'image/png', ?3, 1 FROM n`,
  )
    .bind(accountId, uploads, now)
    .run();
  await home.DB.prepare(
    `${numbers} INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
     SELECT ?3 || i, ?1, 'image', ?4 ->> ('$[' || (i % 3) || ']'), 'bulk', 1, iif(i % 2, 'queued', 'processing'), ?5, ?5 FROM n`,
  )
    .bind(accountId, jobs, newId("job"), JSON.stringify(MODES), now)
    .run();
}

describe("the counts of an account", () => {
  it("cost the same rows for a presign, an import's check and a job, with any number of uploads and jobs", async () => {
    const [few, many] = [await newClient(), await newClient()];
    await fill(few, 6, 6);
    await fill(many, 9_900, 990);
    const meter = new Meter();
    /** Returns the rows read by a presign, the budget check, and createJob. */
    const read = async (client: Client): Promise<number[]> => {
      const rows: number[] = [];
      const taking = async <T>(act: () => Promise<T>): Promise<T> => {
        const before = meter.of.account.d1RowsRead;
        const result = await meter.at("account", act);
        rows.push(meter.of.account.d1RowsRead - before);
        return result;
      };
      // A credential is read once.
      await client.send("GET", "/v1/account");
      await taking(() => presign(client));
      await taking(() => home.platform.uploads.use(client.accountId, Date.now()));
      const taskId = await uploaded(client);
      const { status } = await taking(() => client.send("POST", "/v1/jobs", imageJob([taskId])));
      expect(status).toBe(202);
      return rows;
    };
    const ofFew = await read(few);
    expect(await read(many)).toEqual(ofFew);
    const [ofPresign = Infinity, ofUse = Infinity, ofJob = Infinity] = ofFew;
    console.info({ ofPresign, ofUse, ofJob });
    expect(ofPresign).toBeLessThanOrEqual(10);
    expect(ofUse).toBeLessThanOrEqual(5);
    expect(ofJob).toBeLessThanOrEqual(100);
  });

  it("match the rows after any operation of the API", async () => {
    const client = await newClient();
    const inference = new FakeInference();
    await presign(client);
    const { jobId, tasks } = await newJob(client, 3);
    expect(await counted(client.accountId)).toEqual({ unused_uploads: 1, active_jobs: 1 });
    const other = await newJob(client);
    const unused = await uploaded(client);
    await client.send("DELETE", `/v1/uploads/${unused}`);
    expect(await counted(client.accountId)).toEqual(await counts(client.accountId));
    await finishJob(inference, client.accountId, jobId, tasks);
    await expect.poll(() => counted(client.accountId)).toEqual({ unused_uploads: 2, active_jobs: 1 });
    await client.send("POST", `/v1/jobs/${other.jobId}/cancel`);
    await expect.poll(() => counted(client.accountId)).toEqual({ unused_uploads: 2, active_jobs: 0 });
    expect(await counts(client.accountId)).toEqual({ unused_uploads: 2, active_jobs: 0 });
  });

  it("match the rows after any writes in any order by any writer", async () => {
    const draw = new Draw();
    const clients = [await newClient(), await newClient()];
    // Rows that are counted again were counted before, so the account has its row.
    for (const client of clients) await fill(client, 1, 1);
    const accounts = clients.map(({ accountId }) => accountId);
    const now = Date.now();
    const id = (): string => `id_${draw.upTo(11)}`;
    const write: readonly (() => D1PreparedStatement)[] = [
      () =>
        home.DB.prepare(
          `INSERT INTO uploads (task_id, account_id, content_type, created_at, unused)
           VALUES (?, ?, 'image/png', ?, ?) ON CONFLICT DO NOTHING`,
        ).bind(id(), draw.oneOf(accounts), now, draw.upTo(1)),
      () => home.DB.prepare("UPDATE uploads SET unused = ? WHERE task_id > ?").bind(draw.upTo(1), id()),
      () => home.DB.prepare("DELETE FROM uploads WHERE task_id = ?").bind(id()),
      () =>
        home.DB.prepare(
          `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
           VALUES (?, ?, 'image', ?, 'bulk', 1, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ).bind(id(), draw.oneOf(accounts), draw.oneOf(MODES), draw.oneOf(STATUSES), now, now),
      () => home.DB.prepare("UPDATE jobs SET status = ? WHERE id > ?").bind(draw.oneOf(STATUSES), id()),
      () => home.DB.prepare("DELETE FROM jobs WHERE id = ?").bind(id()),
    ];
    const { uploads, ledger } = home.platform;
    /** Returns the counts of the stores. */
    const known = async (accountId: string) => ({
      unused_uploads: (await uploads.use(accountId, now)).unused,
      active_jobs: (await ledger.use(accountId)).activeJobs,
    });
    for (let i = 0; i < 20; i += 1) {
      await home.DB.batch(Array.from({ length: 10 }, () => draw.oneOf(write)()));
      for (const accountId of accounts)
        expect(await known(accountId), `after ${i}`).toEqual(await counts(accountId));
    }
    for (const accountId of accounts) {
      const newest = await home.DB.prepare(
        "SELECT max(id) AS id FROM jobs WHERE account_id = ? AND status IN ('queued', 'processing')",
      )
        .bind(accountId)
        .first("id");
      expect((await ledger.use(accountId)).activeJobId).toBe(newest);
    }
  });
});

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { KEPT_PER_LIVE } from "../../../../src/accounts/rules/budgets.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { inspectUploads } from "../../../../src/uploads/operations/inspect-uploads.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { logged } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { deliverTask, finishJob, FakeInference } from "../../../support/worker/fakes/inference.ts";
import {
  cutOffJob,
  imageJob,
  newJob,
  PNG,
  presign,
  uploaded,
  uploads,
} from "../../../support/worker/fixtures/jobs.ts";
import { ledgerFindings } from "../../../support/worker/fixtures/ledger.ts";
import { planOf } from "../../../support/worker/runtime/query-plans.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const remove = (taskId: string) => client.send("DELETE", `/v1/uploads/${taskId}`);
const create = (tasks: readonly string[]) => client.send("POST", "/v1/jobs", imageJob(tasks));
const put = (taskId: string, bytes: BufferSource = PNG) =>
  env.MEDIA.put(inputKey(client.accountId, taskId), bytes);
const isThere = async (taskId: string) => (await env.MEDIA.head(inputKey(client.accountId, taskId))) !== null;
const inspect = () => inspectUploads(home.platform, Date.now());
const rowsOf = async (taskId: string) =>
  home.DB.prepare("SELECT count(*) AS n FROM uploads WHERE task_id = ?1").bind(taskId).first<number>("n");

describe("deleteUpload 204", () => {
  it("leaves no upload that a later job could name, and no bytes [A2-13]", async () => {
    const taskId = await uploaded(client);
    const { status, body } = await remove(taskId);
    expect([status, body]).toEqual([204, null]);
    expect(await isThere(taskId)).toBe(false);
    const unknown = await create([`${crypto.randomUUID()}.png`]);
    expectError(await create([taskId]), 403, "task_not_owned");
    expect((await create([taskId])).body).toEqual(unknown.body);
    expectError(await remove(taskId), 404, "upload_not_found");
  });

  it("deletes an upload without a PUT, and one as old as its retention", async () => {
    expect((await remove(await presign(client))).status).toBe(204);
    const old = await uploaded(client);
    await create([old]);
    later(29 * DAY);
    await home.DB.prepare("UPDATE jobs SET status = 'failed'").run();
    expect((await remove(old)).status).toBe(204);
    expect(await isThere(old)).toBe(false);
    later(6 * MINUTE);
    await inspect();
    expect(await rowsOf(old)).toBe(0);
  });

  it("leaves the results of jobs that have used it [A2-13]", async () => {
    const { jobId, tasks } = await successfulJob(client);
    for (const taskId of tasks) expect((await remove(taskId)).status).toBe(204);
    const { status, body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    expect(status).toBe(200);
    expect(body.assets).toHaveLength(2);
    expect((await env.MEDIA.list({ prefix: "outputs/" })).objects).toHaveLength(2);
  });

  it("makes room for another upload: at once, or when the upload's URL has expired [A2-16]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2 });
    const ask = () => client.send("POST", "/v1/uploads/presign", { contentType: "image/png" });
    const [first = "", second = ""] = await uploads(client, 2);
    expectError(await ask(), 409, "too_many_uploads");
    await remove(first);
    expectError(await ask(), 409, "too_many_uploads");
    later(6 * MINUTE);
    await inspect();
    expect((await ask()).status).toBe(200);
    expectError(await ask(), 409, "too_many_uploads");
    await remove(second);
    expect((await ask()).status).toBe(200);
  });

  it("returns no bytes to the day's budget: a deleted upload counts [A2-16]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 100 });
    const taskId = await presign(client);
    await put(taskId, new Uint8Array(100));
    await remove(taskId);
    expectError(
      await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" }),
      409,
      "too_many_uploads",
    );
  });

  it("is limited to so many a day, because their rows stay until their URLs end [A2-16]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2 });
    for (let i = 0; i < KEPT_PER_LIVE; i += 1) {
      const taskIds = [await presign(client), await presign(client)];
      later(6 * MINUTE);
      for (const taskId of taskIds) expect((await remove(taskId)).status).toBe(204);
    }
    const refused = await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" });
    expectError(refused, 409, "too_many_uploads");
    expect(refused.body.message).toMatch(/^The account has deleted 20 uploads within a day\./);
    expect(refused.body.retryAfterSeconds).toBeGreaterThan(22 * 3_600);
    later(DAY + 60 * MINUTE);
    await inspect();
    expect(await home.DB.prepare("SELECT count(*) AS n FROM uploads").first("n")).toBe(0);
    expect((await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" })).status).toBe(200);
  });

  it("also deletes files that arrive later by its URL or an unfinished PUT, and forgets it a day after its presign [A2-13]", async () => {
    const taskId = await uploaded(client);
    await remove(taskId);
    await put(taskId);
    later(6 * MINUTE);
    await inspect();
    expect(await isThere(taskId)).toBe(false);
    await put(taskId);
    later(DAY);
    await inspect();
    expect([await isThere(taskId), await rowsOf(taskId)]).toEqual([false, 0]);
  });

  it("is done by the inspection where the bucket can't be reached [A2-13]", async () => {
    const taskId = await uploaded(client);
    const lines = logged();
    const away = vi.spyOn(Media.prototype, "delete").mockRejectedValue(new Error("the bucket is away"));
    expect((await remove(taskId)).status).toBe(204);
    expect(lines().map(({ event }) => event)).toContain("inspection_failed");
    expectError(await create([taskId]), 403, "task_not_owned");
    away.mockRestore();
    await inspect();
    expect(await isThere(taskId)).toBe(false);
  });

  it("takes an upload as soon as the jobs that needed it have ended, were canceled or deleted [A2-15]", async () => {
    const inference = new FakeInference();
    for (const end of [
      (jobId: string, tasks: string[]) => finishJob(inference, client.accountId, jobId, tasks),
      (jobId: string) => client.send("POST", `/v1/jobs/${jobId}/cancel`),
      (jobId: string) => client.send("DELETE", `/v1/jobs/${jobId}`),
    ]) {
      const { jobId, tasks, taskId } = await newJob(client, 2);
      expectError(await remove(taskId), 409, "upload_in_use");
      await end(jobId, tasks);
      expect((await remove(taskId)).status).toBe(204);
    }
  });

  it("deletes one that only the list's copy of an ended job still needs", async () => {
    const { jobId, tasks, taskId } = await newJob(client);
    const away = vi.spyOn(Jobs.prototype, "project").mockRejectedValue(new Error("the database is away"));
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    away.mockRestore();
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ status: "queued" }]);
    expect((await remove(taskId)).status).toBe(204);
  });
});

describe("deleteUpload 409", () => {
  it("upload_in_use: a job in progress needs it, queued or processing, and it stays [A2-15]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    for (const taskId of tasks) expectError(await remove(taskId), 409, "upload_in_use");
    void new FakeInference();
    await deliverTask(jobId, String(tasks[0]));
    for (const taskId of tasks) {
      const refused = await remove(taskId);
      expectError(refused, 409, "upload_in_use");
      expect(refused.body.activeJobId).toBe(jobId);
      expect(await isThere(taskId)).toBe(true);
    }
    expect((await remove(await uploaded(client))).status, "another upload").toBe(204);
  });

  it("upload_in_use: of several jobs that name it, one is still in progress [A2-15]", async () => {
    const { jobId, tasks, taskId } = await newJob(client);
    await create([taskId]);
    const { body: last } = await create([taskId]);
    await finishJob(new FakeInference(), client.accountId, last.jobId, tasks);
    expect((await remove(taskId)).body).toMatchObject({ error: "upload_in_use", activeJobId: jobId });
  });

  it("upload_in_use: a listed job with a doubtful acceptance may need it", async () => {
    const jobId = await cutOffJob(client);
    const taskId = String(await home.DB.prepare("SELECT task_id FROM uploads").first("task_id"));
    expect((await remove(taskId)).body).toMatchObject({ error: "upload_in_use", activeJobId: jobId });
  });

  it("upload_in_use: looks through the account's jobs in progress once", async () => {
    const { taskId } = await newJob(client);
    const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    expectError(await remove(taskId), 409, "upload_in_use");
    const inspections = prepare.mock.calls.filter(([sql]) => String(sql).includes("instr"));
    prepare.mockRestore();
    expect(inspections).toHaveLength(1);
  });

  it("is asked only of the account's jobs in progress, by their index", async () => {
    const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    await remove(await uploaded(client));
    const statements = prepare.mock.calls.map(([sql]) => String(sql)).filter((sql) => sql.includes("instr"));
    prepare.mockRestore();
    expect(statements).toHaveLength(2);
    for (const sql of statements) {
      const reads = (await planOf(sql)).filter((line) => /^(SEARCH|SCAN) /.test(line));
      expect(reads, sql).toEqual([
        expect.stringMatching(/^SEARCH uploads USING .*autoindex_uploads_1 \(task_id=\?\)/),
        expect.stringMatching(/^SEARCH jobs USING INDEX jobs_by_status \(account_id=\? AND status=\?\)/),
      ]);
    }
  });
});

describe("deleteUpload 404", () => {
  it("answers a foreign, an unknown and a malformed taskId alike, byte for byte, and deletes nothing [A2-14]", async () => {
    const other = await newClient();
    const foreign = await uploaded(other);
    const ids = [
      foreign,
      `${crypto.randomUUID()}.png`,
      "task",
      "%00",
      "..%2f",
      "%27%20OR%201=1",
      "x".repeat(3_000),
    ];
    const answers = await Promise.all(ids.map(remove));
    for (const answer of answers) {
      expectError(answer, 404, "upload_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
    expect((await other.send("POST", "/v1/jobs", imageJob([foreign]))).status).toBe(202);
  });
});

describe("a deletion and a job on the same upload", () => {
  it("that are concurrent end with one of the two: the job has its input, or does not exist [A2-15]", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const tasks = await uploads(client, 2);
      const both = [() => remove(String(tasks[0])), () => create(tasks)];
      if (round % 2 === 1) both.reverse();
      const answers = await Promise.all(both.map((send) => send()));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect([
        [202, 409],
        [204, 403],
      ]).toContainEqual(statuses);
      expect(await isThere(String(tasks[0]))).toBe(statuses[0] === 202);
      outcomes.add(statuses.join());
    }
    expect(await ledgerFindings()).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it("end so even if the job has found the upload there, and the deletion comes before it is listed [A2-15]", async () => {
    const tasks = await uploads(client, 2);
    const { jobs } = home.platform;
    const insert = jobs.insert.bind(jobs);
    vi.spyOn(jobs, "insert").mockImplementationOnce(async (...job) => {
      expect((await remove(String(tasks[0]))).status).toBe(204);
      return insert(...job);
    });
    expectError(await create(tasks), 403, "task_not_owned");
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([]);
    expect(await ledgerFindings()).toEqual([]);
  });
});

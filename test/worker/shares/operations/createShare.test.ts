import { beforeEach, describe, expect, it } from "vitest";
import { CreatedShare } from "../../../../src/shares/contract/share.ts";
import { MOST_SHARES } from "../../../../src/accounts/rules/share-token.ts";
import { sha256Hex } from "../../../../src/shared/digest.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { failure, finishJob, FakeInference, success } from "../../../support/worker/fakes/inference.ts";
import { imageJob, newJob } from "../../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { shareJob, visit } from "../../../support/worker/fixtures/shares.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const DAY = 86_400_000;

let client: Client;
let jobId: string;
let taskId: string;
beforeEach(async () => {
  client = await newClient();
  const job = await successfulJob(client);
  ({ jobId } = job);
  taskId = job.tasks[0] ?? "";
});

const create = (body: unknown, of = jobId) => client.send("POST", `/v1/jobs/${of}/share`, body);

/** A further job of the same upload, that has succeeded. */
async function furtherJob(): Promise<string> {
  const { body } = await client.send("POST", "/v1/jobs", imageJob([taskId], { prompts: ["dog"] }));
  await finishJob(new FakeInference(), client.accountId, body.jobId, [taskId], () => success(1));
  return body.jobId;
}

describe("createShare 201", () => {
  it("returns a link with its token in the fragment, which browsers never send, and an end a week later [A23-1]", async () => {
    const begun = Date.now();
    const { status, body } = await create({});
    expect(status).toBe(201);
    const { share, token, url } = CreatedShare.parse(body);
    expect(token).toMatch(/^shr_[0-9A-Za-z]{46}$/);
    const link = new URL(url ?? "");
    expect(link.pathname).toBe(`/studio/shared/${jobId}`);
    expect(link.hash).toBe(`#${token}`);
    expect(link.href.replace(link.hash, "")).not.toContain(token);
    expect(share).toMatchObject({ jobId, further: [], showInputs: false, showAnnotations: false });
    const lasts = Date.parse(share.expiresAt) - Date.parse(share.createdAt);
    expect(lasts).toBe(7 * DAY);
    expect(Date.parse(share.createdAt)).toBeGreaterThanOrEqual(begun);
  });

  it("has no link if there is no studio, and the token anyway [A23-1]", async () => {
    overrideSettings({ STUDIO: false });
    const { body } = await create({});
    expect(body.url).toBeNull();
    expect((await visit(body.token, `/v1/jobs/${jobId}/result`)).status).toBe(200);
  });

  it("ends when it is said to, but never after the job's retention [A23-2]", async () => {
    const { body: short } = await create({ expiresIn: 60 });
    expect(Date.parse(short.share.expiresAt) - Date.parse(short.share.createdAt)).toBe(60_000);
    const { body: status } = await client.send("GET", `/v1/jobs/${jobId}`);
    later(10 * DAY);
    const { body: long } = await create({ expiresIn: 30 * 86_400 });
    expect(Date.parse(long.share.expiresAt)).toBe(Date.parse(status.createdAt) + 30 * DAY);
  });

  it("ends the job's link before [A23-3]", async () => {
    const first = await shareJob(client, jobId);
    const second = await shareJob(client, jobId);
    expect(second.token).not.toBe(first.token);
    expectError(await visit(first.token, `/v1/jobs/${jobId}`), 401, "Unauthorized");
    expect((await visit(second.token, `/v1/jobs/${jobId}`)).status).toBe(200);
    expect((await client.send("GET", "/v1/shares")).body.items).toEqual([second.share]);
  });

  it("keeps the token's digest, and the token nowhere [A23-4]", async () => {
    const { token } = await shareJob(client, jobId);
    const { results: tables } = await home.DB.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    ).all<{ name: string }>();
    const all = await Promise.all(
      tables.map(async ({ name }) => (await home.DB.prepare(`SELECT * FROM "${name}"`).all()).results),
    );
    const text = JSON.stringify(all);
    expect(text).not.toContain(token);
    expect(text).not.toContain(token.slice("shr_".length));
    expect(text).toContain(await sha256Hex(token));
  });

  it("shows the uploads of successful tasks on request [A23-5]", async () => {
    const { jobId: batch, tasks } = await newJob(client, 3);
    await finishJob(new FakeInference(), client.accountId, batch, tasks, (each) =>
      each === tasks[1] ? failure(false) : success(1),
    );
    await shareJob(client, batch, { showInputs: true });
    const { body } = await client.send("GET", `/v1/jobs/${batch}/share`);
    expect(body.share.showInputs).toBe(true);
    expect(body.inputs.map((input: { taskId: string }) => input.taskId)).toEqual([tasks[0], tasks[2]]);
  });

  it("shows further jobs of the same uploads [A23-6]", async () => {
    const further = await furtherJob();
    const { share, token } = await shareJob(client, jobId, { further: [further, jobId, further] });
    expect(share.further).toEqual([further]);
    for (const shown of [jobId, further])
      for (const path of ["", "/result"])
        expect((await visit(token, `/v1/jobs/${shown}${path}`)).status, path).toBe(200);
  });
});

describe("createShare 400", () => {
  it.each([
    [{ expiresIn: 59 }],
    [{ expiresIn: 30 * 86_400 + 1 }],
    [{ expiresIn: 1e300 }],
    [{ expiresIn: "86400" }],
    [{ showInputs: 1 }],
    [{ showAnnotations: 1 }],
    [{ further: "job" }],
    [{ further: Array.from({ length: 51 }, () => "job") }],
  ])("refuses %j [A23-2]", async (body) => {
    expectError(await create(body), 400, "invalid_request");
    expect((await client.send("GET", "/v1/shares")).body.items).toEqual([]);
  });

  it("refuses a further job of other uploads, naming it [A23-6]", async () => {
    const other = await successfulJob(client);
    const answer = await create({ further: [other.jobId] });
    expectError(answer, 400, "invalid_request");
    expect(answer.body.message).toContain(other.jobId);
  });
});

describe("createShare 404", () => {
  it("answers for an unknown job, another account's, and such further jobs [A23-6]", async () => {
    const theirs = await successfulJob(await newClient());
    for (const id of [theirs.jobId, `job_${"0".repeat(32)}`, "x".repeat(3_000)]) {
      expectError(await create({}, id), 404, "job_not_found");
      expectError(await create({ further: [id] }), 404, "job_not_found");
    }
  });
});

describe("createShare 409", () => {
  it("answers for a job that has no result [A23-1]", async () => {
    const waiting = await newJob(client);
    expectError(await create({}, waiting.jobId), 409, "job_not_ready");
    await finishJob(new FakeInference(), client.accountId, waiting.jobId, waiting.tasks, () =>
      failure(false),
    );
    expectError(await create({}, waiting.jobId), 409, "job_not_ready");
  });

  it("refuses the hundred and first result, also of two concurrent ones, but not a shared one again [A23-7]", async () => {
    await shareJob(client, jobId);
    await home.DB.batch(
      Array.from({ length: MOST_SHARES - 2 }, (_, i) =>
        home.DB.prepare(
          `INSERT INTO shares SELECT ?1, account_id, ?1, further, inputs, annotations, created_at, expires_at, day, reads FROM shares
           WHERE job_id = ?2`,
        ).bind(`job_${i}`, jobId),
      ),
    );
    await home.DB.batch(
      Array.from({ length: MOST_SHARES - 2 }, (_, i) =>
        home.DB.prepare(
          `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at, version)
           SELECT ?1, account_id, type, mode, lane, total_items, status, created_at, updated_at, version FROM jobs WHERE id = ?2`,
        ).bind(`job_${i}`, jobId),
      ),
    );
    const [a, b] = [await successfulJob(client), await successfulJob(client)];
    const answers = await Promise.all([create({}, a.jobId), create({}, b.jobId)]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 409);
    if (refused !== undefined) expectError(refused, 409, "too_many_shares");
    expect((await create({})).status).toBe(201);
    expect((await client.send("DELETE", `/v1/jobs/${jobId}/share`)).status).toBe(204);
    expect((await create({}, answers[0]?.status === 409 ? a.jobId : b.jobId)).status).toBe(201);
  });
});

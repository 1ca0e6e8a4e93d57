import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ErasureReport } from "../../../src/operator/contract/operator.ts";
import { archiveKey, inputKey, outputKey } from "../../../src/shared/bucket/object-keys.ts";
import { WebhookObject } from "../../../src/index.ts";
import { eraseAccount, sweepErasures } from "../../../src/operator/operations/erase-account.ts";
import { FakeIdentityProvider } from "../../support/worker/client/access-tokens.ts";
import { newClient, send } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob, newJob, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { storedOf, tracesOf } from "../../support/worker/runtime/traces.ts";
import { PATIENT } from "../../support/worker/runtime/time.ts";
import { newEndpoint, FakeEndpoints, ringEndpoint, sendTest } from "../../support/worker/fakes/webhooks.ts";
import {
  MARKS,
  type Person,
  newPerson,
  erase,
  markedPicture,
  completed,
  dies,
  ledgerOf,
  tracesOfPerson,
} from "../../support/worker/fixtures/marked-person.ts";

describe("an account that is erased", () => {
  let person: Person;
  beforeEach(async () => {
    person = await newPerson();
  });

  it("had data everywhere before: the search finds each mark that it looks for", async () => {
    const found = await tracesOfPerson(person);
    for (const [what, places] of Object.entries(found)) expect(places, what).not.toEqual([]);
    expect(found["bytes"]).toHaveLength(5);
    expect(found["prompt"]).toEqual(
      expect.arrayContaining(person.jobIds.map((jobId) => `object of ${jobId}`)),
    );
  });

  it("leaves no personal data in the database, the bucket, the job objects or the log", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const { state, customerIds } = await erase(person);
    const lines = log.mock.calls.map(String).join("\n");
    log.mockRestore();
    expect({ state, customerIds }).toEqual({ state: "emptied", customerIds: ["cus_1"] });
    for (const [what, places] of Object.entries(await tracesOfPerson(person)))
      expect(places, what).toEqual([]);
    for (const jobId of person.jobIds) expect(await storedOf(jobId)).toEqual([]);
    expect((await env.MEDIA.list()).objects).toEqual([]);
    for (const mark of [...Object.values(MARKS), person.key.slice(0, 12)]) expect(lines).not.toContain(mark);
  });

  it("stays in the ledger by its opaque id alone: used units are settled, reserved ones released", async () => {
    await erase(person);
    const where = await tracesOf(person.accountId, person.jobIds);
    const books = ["accounts", "former_customers", "ledger", "meter_events"];
    expect(new Set(where.map((trace) => trace.split(".")[0]))).toEqual(new Set(books));
    expect(await ledgerOf(person)).toEqual([
      { kind: "release", units: 2 },
      { kind: "reserve", units: 4 },
      { kind: "settle", units: 2 },
    ]);
    const { results } = await home.DB.prepare(
      "SELECT customer_id, sum(units) AS units FROM meter_events",
    ).all();
    expect(results).toEqual([{ customer_id: "cus_1", units: 2 }]);
  });

  it("leaves the ids of its jobs in the books alone, even if a message of theirs dies late", async () => {
    const [finished, halfDone] = person.jobIds;
    const tables = async (jobId: string) =>
      new Set((await tracesOf(jobId, [])).map((trace) => trace.split(".")[0]));
    for (const jobId of [finished, halfDone]) expect(await tables(jobId)).toContain("dead_letters");
    await home.platform.erasures.begin(person.accountId, Date.now());
    await dies(finished);
    await erase(person);
    await dies(halfDone);
    for (const jobId of person.jobIds) expect(await tables(jobId), jobId).toEqual(new Set(["ledger"]));
  });

  it("is charged for what its jobs in progress had used, by meter events that are sent as usual", async () => {
    for (const jobId of person.jobIds) await ring(jobId);
    await erase(person);
    const { results } = await home.DB.prepare(
      "SELECT sum(units) AS units FROM meter_events WHERE first_tried_at IS NULL",
    ).all();
    expect(results).toEqual([{ units: 2 }]);
  });

  it("has its running jobs canceled: lease holders are notified, and their reports refused", async () => {
    const { last, cancelled } = person.inference;
    await erase(person);
    await vi.waitFor(() => expect(cancelled).toEqual([last.key]), PATIENT);
    const report = await send("POST", new URL(`${last.callbackUrl}/complete`).pathname, {
      headers: { authorization: `Bearer ${last.callbackToken}`, "content-type": "application/json" },
      body: JSON.stringify(completed()),
    });
    expect(report.status).toBe(409);
  });

  it("is refused at once with its keys, and gets nothing new from an accepted request", async () => {
    await home.platform.erasures.begin(person.accountId, Date.now());
    expect((await person.send("GET", "/v1/account")).status).toBe(401);
    const { accountId } = person;
    const now = Date.now();
    const late = {
      upload: () =>
        home.DB.prepare(
          "INSERT INTO uploads (task_id, account_id, content_type, created_at) VALUES ('t', ?1, 'image/png', 1)",
        ),
      key: () =>
        home.DB.prepare(
          "INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at) VALUES ('k', ?1, 'l', 'p', 'd', 1, 1)",
        ),
      job: () =>
        home.DB.prepare(
          `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
           VALUES ('j', ?1, 'image', 'single', 'interactive', 1, 'queued', 1, 1) ON CONFLICT DO NOTHING`,
        ),
      answer: () =>
        home.DB.prepare(
          `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)
           VALUES (?1, 'o', 'k', 'f', 'e', 'l', 1, 1)`,
        ),
      endpoint: () =>
        home.DB.prepare(
          `INSERT INTO webhook_endpoints (id, account_id, url, secrets, enabled_at, created_at, updated_at)
           VALUES ('w', ?1, 'https://late.test', 's', 1, 1, 1)`,
        ),
      customer: () =>
        home.DB.prepare("INSERT INTO billing (account_id, customer_id, updated_at) VALUES (?1, 'cus_2', 1)"),
      person: () => home.DB.prepare("UPDATE accounts SET email = 'again@example.com' WHERE id = ?1"),
      resumed: () => home.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?1"),
    };
    for (const [what, statement] of Object.entries(late)) {
      await expect(statement().bind(accountId).run(), what).rejects.toThrow("the account is erased");
    }
    expect((await erase(person, now)).state).toBe("emptied");
  });

  it("loses its webhook endpoints with their deliveries, and nothing is sent to them any more [A3-6]", async () => {
    const endpoint = await newEndpoint(person, MARKS.image, { description: MARKS.label });
    const endpoints = new FakeEndpoints(endpoint);
    await sendTest(person, endpoint);
    const resets = vi
      .spyOn(WebhookObject.prototype, "erase")
      .mockRejectedValueOnce(new Error("it was reset"));
    expect(await erase(person)).toMatchObject({ state: "erasing", endpointsLeft: 1 });
    expect(await tracesOf(MARKS.image, person.jobIds)).toEqual([]);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toEqual([]);

    expect(await erase(person)).toMatchObject({ state: "emptied", endpointsLeft: 0 });
    expect(resets).toHaveBeenCalledTimes(2);
    expect(await home.DB.prepare("SELECT count(*) AS n FROM webhook_endpoints").first("n")).toBe(0);
    expect(await ringEndpoint(endpoint)).toBe(false);
  });

  it("frees the person's identity: its next token creates a new account", async () => {
    await erase(person);
    const provider = await FakeIdentityProvider.start();
    const token = await provider.issue({ sub: MARKS.subject, email: MARKS.email });
    const { status, body } = await send("GET", "/v1/account", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ email: MARKS.email });
    expect(body.accountId).not.toBe(person.accountId);
  });

  it("is checked again when no lease can write: late files are deleted too", async () => {
    const { checksAgainAt } = await erase(person);
    const [jobId] = person.jobIds;
    const { accountId } = person;
    for (const key of [
      inputKey(accountId, "late.png"),
      outputKey({ accountId, jobId }, "late.png", 1, "masks/0.png"),
      archiveKey(accountId, jobId, 1),
    ]) {
      await env.MEDIA.put(key, MARKS.bytes);
    }
    await sweepErasures(home.platform, checksAgainAt - 1);
    expect((await erase(person, checksAgainAt - 1)).state).toBe("emptied");
    await env.MEDIA.put(inputKey(accountId, "later.png"), MARKS.bytes);
    await sweepErasures(home.platform, checksAgainAt);
    expect((await env.MEDIA.list()).objects).toEqual([]);
    expect((await erase(person, checksAgainAt)).state).toBe("erased");
    expect(await home.platform.erasures.unfinished(10)).toEqual([]);
  });

  it.each([0, 2])(
    "keeps nothing of requests that arrive while its erasure begins, %i of them before it",
    async (before) => {
      const made = vi.spyOn(home.platform, "jobObject");
      const tasks = await Promise.all(Array.from({ length: 4 }, () => uploaded(person, markedPicture())));
      const create = (taskId: string) =>
        person.send("POST", "/v1/jobs", imageJob([taskId], { prompts: [MARKS.prompt] }), {
          "idempotency-key": crypto.randomUUID(),
        });
      // The others come at the same moment.
      const early = tasks.slice(0, before).map(create);
      await Promise.resolve();
      const late = tasks.slice(before).map(create);
      const [{ checksAgainAt }] = await Promise.all([erase(person), ...early, ...late]);
      const all = made.mock.calls.map(([jobId]) => jobId);
      expect(all.length).toBeGreaterThanOrEqual(person.jobIds.length);

      expect((await erase(person, checksAgainAt)).state).toBe("erased");
      for (const jobId of all) expect(await storedOf(jobId), jobId).toEqual([]);
      expect(await tracesOf(MARKS.prompt, [])).toEqual([]);
      expect((await env.MEDIA.list()).objects).toEqual([]);
      const { results } = await home.DB.prepare("SELECT id FROM jobs").all();
      expect(results).toEqual([]);
    },
  );

  it("is erased by the operator alone, through the operator's API", async () => {
    const ask = (token: string, accountId = person.accountId) =>
      send("POST", `/internal/operator/accounts/${accountId}/erase`, {
        headers: { authorization: `Bearer ${token}` },
      });
    for (const token of ["wrong", person.key]) expect((await ask(token)).status).toBe(401);
    expect((await person.send("GET", "/v1/account")).status).toBe(200);

    const token = home.platform.settings.OPERATOR_TOKEN ?? "";
    expect((await ask(token, "acct_none")).status).toBe(404);
    const { status, body } = await ask(token);
    expect(status).toBe(200);
    expect(ErasureReport.parse(body)).toMatchObject({ state: "emptied", customerIds: ["cus_1"] });
    expect((await person.send("GET", "/v1/account")).status).toBe(401);
  });

  it("does not change any other account", async () => {
    const other = await newClient();
    const { jobId } = await newJob(other);
    await erase(person);
    expect((await other.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("queued");
    expect((await env.MEDIA.list()).objects).toHaveLength(1);
  });

  it("is refused by name if it is unknown, and may be erased again with the same report", async () => {
    await expect(eraseAccount(home.platform, "acct_none", 0)).rejects.toThrow(
      "There is no account acct_none.",
    );
    const now = Date.now();
    const report = await erase(person, now);
    expect(report.deleted).toBeGreaterThan(0);
    expect(await erase(person, now)).toEqual({ ...report, deleted: 0 });
  });
});

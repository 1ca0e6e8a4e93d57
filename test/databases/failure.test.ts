import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { platformOf } from "../../src/platform.ts";
import { Directory } from "../../src/accounts/store/directory.ts";
import { runScheduled } from "../../src/runtime/scheduled.ts";
import { FakeIdentityProvider } from "../support/worker/client/access-tokens.ts";
import { createKey } from "../support/worker/client/api-keys.ts";
import { newClient, type Client } from "../support/worker/client/api.ts";
import { CRONS, logged, runCron } from "../support/worker/runtime/crons.ts";
import { imageJob, newJob, uploaded } from "../support/worker/fixtures/jobs.ts";
import {
  database,
  databasesWith,
  databaseThrough,
  inDatabase,
  sendIn,
  takeNewAccounts,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";
import { overrideSettings } from "../support/worker/runtime/settings.ts";
import { createSession, FakeStripe } from "../support/worker/fakes/stripe.ts";
import { later } from "../support/worker/runtime/time.ts";
import { expectError } from "../support/worker/client/wire.ts";

useDatabases(3);

const isWrite = (sql: string): boolean => !/^\s*SELECT/.test(sql);
const never = new Promise<never>(() => {});
const failWith = (message: string) => Promise.reject(new Error(message));

/** Failures of DB_3, with their names in the log. */
const FAILURES = {
  away: () => failWith("D1_ERROR: Network connection lost."),
  full: (statements: readonly string[]) =>
    statements.some(isWrite) ? failWith("D1_ERROR: Exceeded maximum DB size") : null,
  overloaded: () => failWith("D1_ERROR: D1 DB is overloaded. Requests queued for too long."),
  slow: () => never,
} as const;

/** The Worker with three databases, the third of which fails. */
function withFailing(how: keyof typeof FAILURES) {
  const failing = databaseThrough(database("DB_3"), (statements, call) => {
    const failure: Promise<never> | null = FAILURES[how](statements);
    return failure ?? call();
  });
  return withDatabases(3, { DB_3: failing });
}

/** Leaves rows that the hourly sweep deletes. */
async function plantStale(client: Client, name: string): Promise<() => Promise<number | null>> {
  const db = database(name);
  await db
    .prepare("INSERT INTO upload_bytes (account_id, hour, bytes) VALUES (?1, 1, 1)")
    .bind(client.accountId)
    .run();
  return () => db.prepare("SELECT count(*) AS n FROM upload_bytes WHERE hour = 1").first<number>("n");
}

describe.each(["away", "full", "overloaded"] as const)("a database that is %s", (how) => {
  it("refuses its own accounts with 503 and tells the operator; others notice nothing, nor do their sweeps [A9-2]", async () => {
    const environment = withFailing(how);
    const ill = await inDatabase("DB_3", () => newClient("paid"));
    const well = await inDatabase("DB_2", () => newClient("trial"));
    const task = await inDatabase("DB_2", () => uploaded(well));
    const [stale, kept] = [await plantStale(well, "DB_2"), await plantStale(ill, "DB_3")];
    const lines = logged();

    const body = { contentType: "image/png" };
    for (let i = 0; i < 3; i += 1) {
      const refused = await sendIn(environment, ill.key, "POST", "/v1/uploads/presign", body);
      expectError(refused, 503, "database_unavailable");
      expect(refused.headers.get("retry-after")).toBe("30");
      expect(refused.body.message).not.toContain("D1_ERROR");
    }
    expect((await sendIn(environment, well.key, "POST", "/v1/uploads/presign", body)).status).toBe(200);
    expect((await sendIn(environment, well.key, "POST", "/v1/jobs", imageJob([task]))).status).toBe(202);
    await takeNewAccounts(["DB_2"]);
    const token = await (await FakeIdentityProvider.start()).issue();
    expect((await sendIn(environment, token, "GET", "/v1/account")).status).toBe(200);
    await runCron(CRONS.sweep, environment);

    expect([await stale(), await kept()]).toEqual([0, 1]);
    const reported = lines();
    const alarms = reported.filter(({ event }) => event === "database_failed");
    expect(alarms).toEqual([expect.objectContaining({ level: "error", database: "DB_3", fault: how })]);
    const failedParts = reported.filter(({ event }) => event === "sweep_failed");
    expect(failedParts.length).toBeGreaterThan(0);
    expect(new Set(failedParts.map((line) => line["database"]))).toEqual(new Set(["DB_3"]));
  });
});

describe.each(["away", "overloaded"] as const)("the emptiest database, if it is %s,", (how) => {
  it("gets no new account: it goes to the emptiest of those that answer, and stays there [A9-2]", async () => {
    const environment = withFailing(how);
    await takeNewAccounts(["DB_2", "DB_3"]);
    await database("DB").prepare("UPDATE databases SET bytes = 1000000 WHERE name = 'DB_2'").run();
    const token = await (await FakeIdentityProvider.start()).issue();
    const { status, body } = await sendIn(environment, token, "GET", "/v1/account");
    expect(status).toBe(200);
    expect(await databasesWith(body.accountId)).toEqual(["DB_2"]);
    expect((await sendIn(withDatabases(3), token, "GET", "/v1/account")).body.accountId).toBe(body.accountId);
  });
});

describe("the operator's lists", () => {
  const operate = (environment: Env, method: string, path: string, body?: unknown) =>
    sendIn(environment, "an-operator-token-for-the-tests-alone", method, `/internal/operator${path}`, body);

  it("have the others' data if a database is away, and name it; its letters stay for later", async () => {
    const stuck = await inDatabase("DB_2", async () => newJob(await newClient("paid")));
    const letter = { at: Date.now(), jobId: null, taskId: null };
    for (const name of ["DB_2", "DB_3"]) await platformOf(withDatabases(3)).at(name).deadLetters.keep(letter);
    later(2 * 3_600_000);
    const environment = withFailing("away");
    expect((await operate(environment, "GET", "/stuck-jobs?hours=1")).body).toMatchObject({
      jobs: [{ jobId: stuck.jobId }],
      away: ["DB_3"],
    });
    expect((await operate(environment, "GET", "/dead-letters")).body).toMatchObject({
      letters: [{ at: letter.at }],
      away: ["DB_3"],
    });
    const replayed = await operate(environment, "POST", "/dead-letters/replay");
    expect(replayed.body).toEqual({ replayed: 0, dropped: 1, away: ["DB_3"] });
    const left = await operate(withDatabases(3), "GET", "/dead-letters");
    expect(left.body).toMatchObject({ letters: [{ at: letter.at }], away: [] });
  });

  it("a move continues while a third database is away; no move begins that may concern it", async () => {
    const environment = withFailing("away");
    const move = (accountId: string) =>
      operate(environment, "POST", `/accounts/${accountId}/move`, { to: "DB", confirmed: true });
    const [begun, other] = [
      await inDatabase("DB_2", () => newClient("trial")),
      await inDatabase("DB_2", () => newClient("trial")),
    ];
    await platformOf(withDatabases(3)).at("DB_2").transits.freeze(begun.accountId, "DB", Date.now());
    expect((await move(begun.accountId)).body).toMatchObject({ state: "moved", from: "DB_2", to: "DB" });
    const refused = await move(other.accountId);
    expectError(refused, 503, "database_unavailable");
    expect(refused.body.message).toContain("DB_3 does not answer");
  });
});

describe("the directory that is away", () => {
  it("refuses accounts of the first database and new people; known accounts elsewhere continue [A9-2]", async () => {
    const isAway = { now: false };
    const first = databaseThrough(database("DB"), (_, call) =>
      isAway.now ? failWith("D1_ERROR: Network connection lost.") : call(),
    );
    const environment = withDatabases(3, { DB: first });
    const [here, seen, unseen] = [
      await inDatabase("DB", () => newClient("paid")),
      await inDatabase("DB_2", () => newClient("paid")),
      await inDatabase("DB_2", () => newClient("paid")),
    ];
    const token = await (await FakeIdentityProvider.start()).issue();
    const overview = (credential: string) => sendIn(environment, credential, "GET", "/v1/account");
    for (const { key } of [here, seen]) expect((await overview(key)).status).toBe(200);
    isAway.now = true;

    const task = await sendIn(environment, seen.key, "POST", "/v1/uploads/presign", {
      contentType: "image/png",
    });
    expect(task.status).toBe(200);
    expect((await overview(seen.key)).status).toBe(200);
    for (const credential of [here.key, unseen.key, token])
      expectError(await overview(credential), 503, "database_unavailable");
    isAway.now = false;
    // No account was taken for a stranger meanwhile.
    for (const credential of [here.key, unseen.key, token])
      expect((await overview(credential)).status).toBe(200);
  });
});

describe("an API key of an account that is not in the first database", () => {
  const countOf = async (name: string, table: string) =>
    database(name).prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");

  it("is not created while the directory is unreachable; the repeated request creates the one key, with its secret", async () => {
    const client = await inDatabase("DB_2", () => newClient("paid"));
    const keys = await countOf("DB_2", "api_keys");
    vi.spyOn(Directory.prototype, "enter").mockImplementationOnce(() =>
      failWith("D1_ERROR: Network connection lost."),
    );
    expectError(await createKey(client, { label: "laptop" }, "k"), 503, "database_unavailable");
    expect(await countOf("DB_2", "api_keys")).toBe(keys);
    const { status, body } = await createKey(client, { label: "laptop" }, "k");
    expect({ status, keys: await countOf("DB_2", "api_keys") }).toEqual({
      status: 201,
      keys: (keys ?? 0) + 1,
    });
    expect((await sendIn(withDatabases(3), body.secret, "GET", "/v1/account")).body).toMatchObject({
      accountId: client.accountId,
    });
  });

  it("that is refused leaves nothing in the directory", async () => {
    overrideSettings({ MAX_API_KEYS: 1 });
    const client = await inDatabase("DB_2", () => newClient("paid"));
    const entries = await countOf("DB", "directory_credentials");
    expectError(await createKey(client, { label: "laptop" }), 409, "too_many_keys");
    expect(await countOf("DB", "directory_credentials")).toBe(entries);
  });
});

describe("a database that answers late", () => {
  it("shows in its own gauge", async () => {
    later(0);
    const late = databaseThrough(database("DB_3"), (_, call) => {
      later(700);
      return call();
    });
    const lines = logged();
    // One after another, so that a database's time is its own.
    const platform = platformOf(withDatabases(3, { DB_3: late }));
    const { gauges } = platform.at("DB_3");
    expect([await platform.gauges.readMs(), await gauges.readMs()]).toEqual([0, 700]);
    await runScheduled(platform, CRONS.report, Date.now());
    const ofDatabases = lines().filter(({ event }) => event === "database_gauges");
    expect(
      ofDatabases.map((line) => line["database"]).toSorted((a, b) => String(a).localeCompare(String(b))),
    ).toEqual(["DB", "DB_2", "DB_3"]);
    const ofLate = ofDatabases.find((line) => line["database"] === "DB_3");
    expect(ofLate?.["readMs"]).toBeGreaterThanOrEqual(700);
  });
});

describe("a database that is slow", () => {
  it("holds up neither the requests of others nor their sweeps [A9-2]", async () => {
    const environment = withFailing("slow");
    const well = await inDatabase("DB_2", () => newClient("trial"));
    const task = await inDatabase("DB_2", () => uploaded(well));
    const stale = await plantStale(well, "DB_2");
    // Not awaited: the third database never answers.
    void runCron(CRONS.sweep, environment);
    await vi.waitFor(async () => expect(await stale()).toBe(0), { timeout: 30_000 });
    expect((await sendIn(environment, well.key, "POST", "/v1/jobs", imageJob([task]))).status).toBe(202);
  });

  it("holds up no webhook of the payment provider about a customer of another [A9-2]", async () => {
    const environment = withDatabases(3, { DB_2: databaseThrough(database("DB_2"), () => never) });
    const stripe = new FakeStripe();
    const well = await inDatabase("DB_3", () => newClient("trial"));
    const { body } = await createSession(well, "checkout");
    await stripe.press(body.url);
    const statuses = stripe.webhooks.map(
      async (webhook) => (await worker.fetch(webhook, environment, createExecutionContext())).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    const overview = await sendIn(environment, well.key, "GET", "/v1/account/overview");
    expect(overview.body.access.mode).toBe("paid");
  });
});

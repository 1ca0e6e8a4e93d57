import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { checkLedger } from "../../scripts/admin/ledger-check.ts";
import type { Row } from "../../scripts/admin/database.ts";
import { MoveReport } from "../../src/contract/operator.ts";
import { MOVED_TABLES } from "../../src/stores/accounts/transit.ts";
import { platformOf, type Platform } from "../../src/platform.ts";
import { closeBooks } from "../../src/services/close-books.ts";
import { moveAccount } from "../../src/services/move-account.ts";
import { newClient, type Client } from "../support/worker/api.ts";
import { newKey } from "../support/worker/api-keys.ts";
import { CRONS, runCron } from "../support/worker/crons.ts";
import { finishJob, PlayedInference } from "../support/worker/inference.ts";
import { newJob, uploaded } from "../support/worker/jobs.ts";
import { makeCustomer, settledJob } from "../support/worker/ledger.ts";
import { Draw } from "../support/worker/random.ts";
import {
  database,
  databasesWith,
  inDatabase,
  rowsOf,
  sendIn,
  useDatabases,
} from "../support/worker/several.ts";
import { PlayedStripe } from "../support/worker/stripe.ts";
import { later } from "../support/worker/time.ts";
import { newEndpoint } from "../support/worker/webhooks.ts";
import { expectError } from "../support/worker/wire.ts";

const DAY = 86_400_000;

const environment = useDatabases(4);
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

/** What the operator's check of the ledger finds in a database. */
async function findings(name: string): Promise<unknown> {
  const db = database(name);
  const checked = {
    run: async (statements: readonly string[]) =>
      (await db.batch<Row>(statements.map((sql) => db.prepare(sql)))).map(({ results }) => results),
  };
  return (await checkLedger(checked, 1_000_000, Date.now())).findings;
}

interface Resident extends Client {
  readonly jobId: string;
}

/** A paying account in a database, at rest, with rows in every table; one of its jobs has run through. */
async function resident(name: string, inference = new PlayedInference()): Promise<Resident> {
  return inDatabase(name, async () => {
    const client = await newClient("paid");
    const { accountId } = client;
    const db = database(name);
    await makeCustomer(accountId, "active");
    await settledJob(accountId, { units: 3, fund: "paid", endedAt: Date.now() - 40 * DAY });
    await closeBooks(platform.at(name), Date.now());
    await settledJob(accountId, { units: 4, fund: "paid", endedAt: Date.now() });
    await settledJob(accountId, { units: 2, fund: "trial", endedAt: Date.now() });
    const { jobId, taskId } = await newJob(client);
    await finishJob(inference, accountId, jobId, [taskId]);
    await newKey(client, "another");
    await newEndpoint(client);
    await uploaded(client);
    const one = (sql: string) => db.prepare(sql).bind(accountId);
    await db.batch([
      one(
        "INSERT INTO former_customers (customer_id, account_id, forgotten_at) VALUES ('cus_old_' || ?1, ?1, 5)",
      ),
      one("INSERT INTO deleted_jobs (job_id, account_id, deleted_at) VALUES ('job_deleted_' || ?1, ?1, 5)"),
      one("INSERT INTO ended_subscriptions (account_id, ended_at) VALUES (?1, 5)"),
      one("INSERT INTO refused_looks (account_id, day, looks) VALUES (?1, 5, 2)"),
      one("INSERT INTO webhook_tests (account_id, hour, asked) VALUES (?1, 5, 2)"),
      one("INSERT INTO billing_sessions (account_id, hour, asked) VALUES (?1, 5, 2)"),
      one("INSERT INTO upload_bytes (account_id, hour, bytes, deleted) VALUES (?1, 5, 2, 1)"),
      // Of a time before events named their account: its identifier is the job's id.
      ...["reserve", "settle"].map((kind) =>
        one(
          `INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, 'job_old_' || ?1, '${kind}', 'paid', 1, ${Date.now()})`,
        ),
      ),
      one(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, 'job_old_' || ?1, 'release', 'paid', 0, ${Date.now()})`,
      ),
      one(
        `INSERT INTO meter_events (identifier, customer_id, units, at, sent_at) VALUES ('job_old_' || ?1, 'cus_old_' || ?1, 1, ${Date.now()}, 5)`,
      ),
    ]);
    return { ...client, jobId };
  });
}

/** Asks for runs of a move until it has this state. */
async function moveUntil(
  accountId: string,
  to: string,
  state: MoveReport["state"],
  confirmed = state === "moved",
): Promise<MoveReport> {
  for (let runs = 0; runs < 20; runs += 1) {
    const report = await moveAccount(platform, accountId, to, confirmed);
    if (report.state === state) return report;
  }
  throw new Error(`${accountId} does not get to ${state}`);
}

describe("an account that is moved to another database", () => {
  it("takes along every table that names an account", async () => {
    const db = database("DB");
    const { results } = await db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%account_id%' AND name NOT LIKE 'directory%' AND name <> 'in_transit'",
      )
      .all<{ name: string }>();
    expect(results.map(({ name }) => name).toSorted()).toEqual(
      MOVED_TABLES.filter((name) => name !== "accounts").toSorted(),
    );
  });

  it("has the same rows there, none anywhere else, and books that agree; it works there with the same keys [A9-3]", async () => {
    const inference = new PlayedInference();
    const client = await resident("DB_2", inference);
    const { accountId, jobId } = client;
    const before = await rowsOf("DB_2", accountId);
    for (const [table, rows] of Object.entries(before)) expect(rows.length, table).toBeGreaterThan(0);
    const answers = async () =>
      Promise.all(
        ["/v1/jobs", "/v1/account", "/v1/account/usage", "/v1/api-keys", `/v1/jobs/${jobId}/result`].map(
          async (path) => (await client.send("GET", path)).status,
        ),
      );
    expect(await answers()).toEqual([200, 200, 200, 200, 200]);

    await moveUntil(accountId, "DB_3", "copied");
    expect(await findings("DB_3")).toEqual([]);
    const { rows } = await moveUntil(accountId, "DB_3", "moved");

    expect(await rowsOf("DB_3", accountId)).toEqual(before);
    expect(rows).toBe(Object.values(before).flat().length);
    expect(await databasesWith(accountId)).toEqual(["DB_3"]);
    expect([await findings("DB_2"), await findings("DB_3")]).toEqual([[], []]);
    expect(await answers()).toEqual([200, 200, 200, 200, 200]);
    const next = await inDatabase("DB_3", () => newJob(client));
    await finishJob(inference, accountId, next.jobId, [next.taskId]);
    expect((await client.send("DELETE", `/v1/jobs/${jobId}`)).status).toBe(204);
    const { jobs, ledger } = await rowsOf("DB_3", accountId);
    expect(JSON.stringify(jobs)).toContain(next.jobId);
    expect(JSON.stringify(jobs)).not.toContain(jobId);
    expect(JSON.stringify(ledger)).toContain(next.jobId);
    expect(await databasesWith(accountId)).toEqual(["DB_3"]);
    expect([await findings("DB_2"), await findings("DB_3")]).toEqual([[], []]);
  });

  it("from the first database and back to it", async () => {
    const client = await resident("DB");
    const before = await rowsOf("DB", client.accountId);
    for (const to of ["DB_4", "DB"]) {
      await moveUntil(client.accountId, to, "moved");
      expect(await rowsOf(to, client.accountId)).toEqual(before);
      expect(await databasesWith(client.accountId)).toEqual([to]);
      expect((await client.send("GET", "/v1/account")).body.accountId).toBe(client.accountId);
    }
  });

  it("is refused with 503 meanwhile, and what would change its rows changes nothing [A9-3]", async () => {
    const client = await resident("DB_2");
    const other = await resident("DB_2");
    const { accountId, jobId } = client;
    const stripe = new PlayedStripe();
    stripe.has(`cus_${accountId}`);
    stripe.has(`cus_${other.accountId}`);
    await moveUntil(accountId, "DB_3", "copied");
    const [here, there] = [await rowsOf("DB_2", accountId), await rowsOf("DB_3", accountId)];

    expectError(await client.send("GET", "/v1/account"), 503, "account_moving");
    expect((await other.send("GET", "/v1/account")).status).toBe(200);
    // Awaited at once: nobody else is told that this call of an object was refused.
    const deleted = await env.JOBS.getByName(jobId)
      .delete(accountId)
      .catch((error: unknown) => String(error));
    expect(deleted).toContain("being moved");
    for (const name of ["DB_2", "DB_3"]) {
      const books = platform.at(name);
      const [key] = await books.apiKeys.list(accountId);
      await expect(books.apiKeys.revoke(accountId, key?.keyId ?? "", 1)).rejects.toThrow("being moved");
      await expect(settledIn(name, accountId)).rejects.toThrow("being moved");
      await expect(books.billing.forgetCustomer(`cus_${accountId}`, null, 1)).rejects.toThrow("being moved");
      await expect(books.erasures.begin(accountId, 1)).rejects.toThrow("being moved");
    }
    later(50 * DAY);
    await runCron(CRONS.report, environment);
    await runCron(CRONS.nightly, environment);
    // What the same statements do for others, they do.
    const { meter_events: events, uploads } = await rowsOf("DB_2", other.accountId);
    expect(events).toContainEqual(expect.objectContaining({ sent_at: expect.any(Number) }));
    expect(uploads).toContainEqual(expect.objectContaining({ size: expect.any(Number) }));
    expect(await rowsOf("DB_2", accountId)).toEqual(here);
    expect(await rowsOf("DB_3", accountId)).toEqual(there);

    await moveUntil(accountId, "DB_3", "moved");
    expect((await client.send("GET", "/v1/account")).status).toBe(200);
  });

  it("stays where it is while a job is under way, if it is erased, or if there is no such database", async () => {
    const client = await inDatabase("DB_2", () => newClient("paid"));
    await newJob(client);
    const move = (to: string) => moveAccount(platform, client.accountId, to, true);
    await expect(move("DB_3")).rejects.toThrow("under way");
    await expect(move("DB_99")).rejects.toThrow("no database DB_99");
    await expect(moveAccount(platform, "acct_none", "DB_3", true)).rejects.toThrow("no such account");
    expect((await client.send("GET", "/v1/account")).status).toBe(200);
    await platform.at("DB_2").erasures.begin(client.accountId, Date.now());
    await expect(move("DB_3")).rejects.toThrow("erased");
    expect(await databasesWith(client.accountId)).toEqual(["DB_2"]);
  });

  it("stays where it was if the move is taken back before it is confirmed, and not after", async () => {
    const client = await resident("DB_2");
    const { accountId } = client;
    const before = await rowsOf("DB_2", accountId);
    await moveUntil(accountId, "DB_3", "copied");
    await expect(moveAccount(platform, accountId, "DB_4", true)).rejects.toThrow("being moved to DB_3");
    await moveUntil(accountId, "DB_2", "moved");
    expect(await rowsOf("DB_2", accountId)).toEqual(before);
    expect(await databasesWith(accountId)).toEqual(["DB_2"]);
    expect((await client.send("GET", "/v1/account")).status).toBe(200);

    await moveUntil(accountId, "DB_3", "copied");
    const release = vi.spyOn(platform.directory, "move").mockRejectedValueOnce(new Error("cut off"));
    await expect(moveUntil(accountId, "DB_3", "moved")).rejects.toThrow("cut off");
    release.mockRestore();
    await expect(moveUntil(accountId, "DB_2", "moved")).rejects.toThrow("is confirmed");
    await moveUntil(accountId, "DB_3", "moved");
    expect(await rowsOf("DB_3", accountId)).toEqual(before);
  });

  it("arrives whole, whichever of the move's calls of a database is the last one before it is cut off [A9-3]", async () => {
    const client = await resident("DB_2");
    const { accountId } = client;
    const before = await rowsOf("DB_2", accountId);
    const draw = new Draw();
    const cut = cutOffDatabases();
    let from = "DB_2";
    let cuts = 0;
    for (let call = 1; ; call += 1 + draw.upTo(11)) {
      const to = from === "DB_2" ? "DB_3" : "DB_2";
      cut.at(call, draw.upTo(1) === 1);
      const isCut = await moveUntil(accountId, to, "moved").then(
        () => false,
        () => true,
      );
      cut.at(Infinity, false);
      await moveUntil(accountId, to, "moved");
      expect(await rowsOf(to, accountId), `cut off at call ${call}`).toEqual(before);
      expect(await databasesWith(accountId)).toEqual([to]);
      expect((await client.send("GET", `/v1/jobs/${client.jobId}`)).status).toBe(200);
      from = to;
      if (!isCut) break;
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(10);
    expect(await findings(from)).toEqual([]);
  });

  it("is moved by the operator's API, whose answers are what the command reads", async () => {
    const client = await resident("DB_2");
    const ask = async (confirmed: boolean) => {
      const path = `/internal/operator/accounts/${client.accountId}/move`;
      const answer = await sendIn(environment, platform.settings.OPERATOR_TOKEN ?? "", "POST", path, {
        to: "DB_4",
        confirmed,
      });
      return MoveReport.parse(answer.body);
    };
    expect(await ask(false)).toMatchObject({ state: "copied", from: "DB_2", to: "DB_4" });
    expect(await ask(true)).toMatchObject({ state: "moved", accountId: client.accountId });
    expect(await ask(true)).toMatchObject({ state: "moved" });
    expect(await databasesWith(client.accountId)).toEqual(["DB_4"]);
  });
});

/** A job of an account, listed and settled in a database. */
const settledIn = (name: string, accountId: string): Promise<string> =>
  inDatabase(name, () => settledJob(accountId, { units: 1, fund: "paid", endedAt: Date.now() }));

/** Cuts every caller off at one of the databases' calls: before it, or after it has had its effect. */
function cutOffDatabases(): { at: (call: number, after: boolean) => void } {
  let left = Infinity;
  let isAfter = false;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return call();
    if (left === 0 && isAfter) await call();
    throw new Error("cut off");
  };
  const d1: D1Database = Object.getPrototypeOf(database("DB"));
  const statement: D1PreparedStatement = Object.getPrototypeOf(database("DB").prepare("SELECT 1"));
  for (const [prototype, names] of [
    [d1, ["batch"]],
    [statement, ["all", "first", "run"]],
  ] as const) {
    for (const name of names) {
      const original: unknown = Reflect.get(prototype, name);
      if (typeof original !== "function") continue;
      vi.spyOn<Record<string, (...args: unknown[]) => unknown>, string>(
        Object.assign(prototype),
        name,
      ).mockImplementation(function (this: unknown, ...args: unknown[]) {
        return counted(() => Reflect.apply(original, this, args));
      });
    }
  }
  return {
    at: (call, after) => {
      left = call;
      isAfter = after;
    },
  };
}

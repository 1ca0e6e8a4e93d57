import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { MoveReport } from "../../src/operator/contract/operator.ts";
import { MOVED_TABLES } from "../../src/operator/store/transit.ts";
import { platformOf, type Platform } from "../../src/platform.ts";
import { moveAccount } from "../../src/operator/operations/move-account.ts";
import { deliverArchive } from "../support/worker/fixtures/archives.ts";
import { newClient } from "../support/worker/client/api.ts";
import { CRONS, runCron } from "../support/worker/runtime/crons.ts";
import { finishJob, FakeInference } from "../support/worker/fakes/inference.ts";
import { newJob } from "../support/worker/fixtures/jobs.ts";
import { settledJob } from "../support/worker/fixtures/ledger.ts";
import { cutOffDatabases, findings, moveUntil, resident } from "../support/worker/fixtures/moves.ts";
import { Draw } from "../support/worker/client/random.ts";
import {
  database,
  databasesWith,
  inDatabase,
  rowsOf,
  sendIn,
  useDatabases,
} from "../support/worker/runtime/several.ts";
import { shareJob, visit } from "../support/worker/fixtures/shares.ts";
import { FakeStripe } from "../support/worker/fakes/stripe.ts";
import { later, PATIENT } from "../support/worker/runtime/time.ts";
import { FakeEndpoints, ringEndpoint } from "../support/worker/fakes/webhooks.ts";
import { expectError } from "../support/worker/client/wire.ts";

const DAY = 86_400_000;

const environment = useDatabases(4);
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

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

  it("takes its links along: they show nothing while it moves, can't be revoked on one side only, and work there [A23-11]", async () => {
    const client = await resident(platform, "DB_2");
    const { accountId, jobId } = client;
    const { token } = await shareJob(client, jobId);
    const look = () => visit(token, `/v1/jobs/${jobId}/result`);
    const revoke = () => client.send("DELETE", `/v1/jobs/${jobId}/share`);
    expect((await look()).status).toBe(200);
    await moveUntil(platform, accountId, "DB_3", "copied");
    expectError(await look(), 503, "account_moving");
    expectError(await revoke(), 503, "account_moving");
    await moveUntil(platform, accountId, "DB_3", "moved");
    expect((await look()).status).toBe(200);
    expect((await revoke()).status).toBe(204);
    expectError(await look(), 401, "Unauthorized");
  });

  it("has all rows there and none elsewhere, with matching books; the same keys work [A9-3]", async () => {
    const inference = new FakeInference();
    const client = await resident(platform, "DB_2", inference);
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

    await moveUntil(platform, accountId, "DB_3", "copied");
    expect(await findings("DB_3")).toEqual([]);
    const { rows } = await moveUntil(platform, accountId, "DB_3", "moved");

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
    const client = await resident(platform, "DB");
    const before = await rowsOf("DB", client.accountId);
    for (const to of ["DB_4", "DB"]) {
      await moveUntil(platform, client.accountId, to, "moved");
      expect(await rowsOf(to, client.accountId)).toEqual(before);
      expect(await databasesWith(client.accountId)).toEqual([to]);
      expect((await client.send("GET", "/v1/account")).body.accountId).toBe(client.accountId);
    }
  });

  it("is refused with 503 meanwhile, and what would change its rows changes nothing [A9-3]", async () => {
    const client = await resident(platform, "DB_2");
    const other = await resident(platform, "DB_2");
    const { accountId, jobId } = client;
    const stripe = new FakeStripe();
    stripe.has(`cus_${accountId}`);
    stripe.has(`cus_${other.accountId}`);
    await moveUntil(platform, accountId, "DB_3", "copied");
    const [here, there] = [await rowsOf("DB_2", accountId), await rowsOf("DB_3", accountId)];

    expectError(await client.send("GET", "/v1/account"), 503, "account_moving");
    expect((await other.send("GET", "/v1/account")).status).toBe(200);
    // Awaited at once: otherwise the refusal of this call would be an unhandled rejection.
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
    // They still do the same for others.
    const { meter_events: events, uploads } = await rowsOf("DB_2", other.accountId);
    expect(events).toContainEqual(expect.objectContaining({ sent_at: expect.any(Number) }));
    expect(uploads).toContainEqual(expect.objectContaining({ size: expect.any(Number) }));
    expect(await rowsOf("DB_2", accountId)).toEqual(here);
    expect(await rowsOf("DB_3", accountId)).toEqual(there);

    await moveUntil(platform, accountId, "DB_3", "moved");
    expect((await client.send("GET", "/v1/account")).status).toBe(200);
  });

  it("stays in place while a job is in progress, if it is erased, or if there is no such database", async () => {
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

  it("stays in place if the move is taken back before it is confirmed, and not after", async () => {
    const client = await resident(platform, "DB_2");
    const { accountId } = client;
    const before = await rowsOf("DB_2", accountId);
    await moveUntil(platform, accountId, "DB_3", "copied");
    await expect(moveAccount(platform, accountId, "DB_4", true)).rejects.toThrow("being moved to DB_3");
    await moveUntil(platform, accountId, "DB_2", "moved");
    expect(await rowsOf("DB_2", accountId)).toEqual(before);
    expect(await databasesWith(accountId)).toEqual(["DB_2"]);
    expect((await client.send("GET", "/v1/account")).status).toBe(200);

    await moveUntil(platform, accountId, "DB_3", "copied");
    const release = vi.spyOn(platform.directory, "move").mockRejectedValueOnce(new Error("cut off"));
    await expect(moveUntil(platform, accountId, "DB_3", "moved")).rejects.toThrow("cut off");
    release.mockRestore();
    await expect(moveUntil(platform, accountId, "DB_2", "moved")).rejects.toThrow("is confirmed");
    await moveUntil(platform, accountId, "DB_3", "moved");
    expect(await rowsOf("DB_3", accountId)).toEqual(before);
  });

  it("arrives whole after an interruption at any database call of the move [A9-3]", async () => {
    const client = await resident(platform, "DB_2");
    const { accountId } = client;
    const before = await rowsOf("DB_2", accountId);
    const draw = new Draw();
    const cut = cutOffDatabases();
    let from = "DB_2";
    let cuts = 0;
    for (let call = 1; ; call += 1 + draw.upTo(30)) {
      const to = from === "DB_2" ? "DB_3" : "DB_2";
      cut.at(call, draw.upTo(1) === 1);
      const isCut = await moveUntil(platform, accountId, to, "moved").then(
        () => false,
        () => true,
      );
      cut.at(Infinity, false);
      await moveUntil(platform, accountId, to, "moved");
      expect(await rowsOf(to, accountId), `cut off at call ${call}`).toEqual(before);
      expect(await databasesWith(accountId)).toEqual([to]);
      expect((await client.send("GET", `/v1/jobs/${client.jobId}`)).status).toBe(200);
      from = to;
      if (!isCut) break;
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(4);
    expect(await findings(from)).toEqual([]);
  });

  it("has an event that a job of it hands over meanwhile delivered from its new place [A3-15]", async () => {
    const client = await resident(platform, "DB_2");
    const { accountId, jobId, endpoint } = client;
    expect((await client.send("POST", `/v1/jobs/${jobId}/download`)).status).toBe(202);
    const endpoints = new FakeEndpoints(endpoint);
    const object = env.WEBHOOKS.getByName(endpoint.endpointId);
    const events = async () => [...(await object.deliveries(null, 10))];
    // The archive is built as soon as the endpoint's object learns of the move.
    const watched = new Proxy(object, {
      get: (target, name) =>
        name !== "moveTo"
          ? Reflect.get(target, name)
          : async (to: string) => {
              await target.moveTo(to);
              await deliverArchive(jobId);
              await vi.waitFor(async () => expect(await events()).toHaveLength(1), PATIENT);
            },
    });
    vi.spyOn(platform.at("DB_2"), "webhookObject").mockReturnValue(watched);
    await moveUntil(platform, accountId, "DB_3", "moved");
    await ringEndpoint(endpoint);
    expect(endpoints.of(endpoint)).toHaveLength(1);
  });

  it("is moved by the operator's API, whose answers the command reads", async () => {
    const client = await resident(platform, "DB_2");
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

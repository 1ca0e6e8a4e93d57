import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { showAccount } from "../../../scripts/shared/database/accounts.ts";
import worker from "../../../src/index.ts";
import { eraseAccount } from "../../../src/operator/operations/erase-account.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { database } from "../../support/worker/runtime/database.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { newJob, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { planOf } from "../../support/worker/runtime/query-plans.ts";
import { createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { fakeElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { asTimePasses, later } from "../../support/worker/runtime/time.ts";
import { newEndpoint, ringEndpoint, sendTest } from "../../support/worker/fakes/webhooks.ts";

const CRONS = ["17 * * * *", "*/5 * * * *", "43 3 * * *"];
/** Indexes and tables that a statement may read whole: only waiting rows, or few. */
const READ_WHOLE = new Set([
  "SCAN meter_events USING INDEX meter_events_due",
  // The open tasks in the trial's lane are limited.
  "SCAN jobs USING INDEX jobs_trial_open",
  // Nightly, the subscriptions whose period has ended, and those in arrears.
  "SEARCH billing USING INDEX billing_by_period_end (<expr><?)",
  "SCAN billing USING INDEX billing_in_arrears",
  // Subscriptions that have ended within the last minutes.
  "SCAN ended_subscriptions USING COVERING INDEX ended_subscriptions_in_turn",
  // The erasures in progress, in the order of their turns.
  "SCAN accounts USING INDEX accounts_being_erased",
  // Endpoints that are deleted and not erased.
  "SCAN webhook_endpoints USING INDEX webhook_endpoints_to_erase",
  // Hourly, accounts with units beyond the trial, and accounts with usage on a day: one row per account.
  "SCAN m",
  "SCAN d",
  // Undeliverable messages, purged every hour.
  "SCAN dead_letters",
]);

/** Returns true for rows that the statement has selected already, a bound array, or no row at all. */
const isOfItsOwn = (line: string, plan: readonly string[]): boolean =>
  /^SCAN (\(subquery-\d+\)|CONSTANT ROW|\w+ VIRTUAL TABLE)/.test(line) ||
  ["MATERIALIZE", "CO-ROUTINE"].some((made) => plan.includes(`${made} ${line.split(" ")[1]}`));

/** Returns true if a line of a plan reads a whole table, or sorts many rows. */
const isCostly = (line: string, plan: readonly string[]): boolean =>
  line.includes("TEMP B-TREE")
    ? !plan.some((other) => READ_WHOLE.has(other) || other === "MATERIALIZE purged")
    : line.startsWith("SCAN") && !READ_WHOLE.has(line) && !isOfItsOwn(line, plan);

const A_MONTH = 31 * 86_400_000;

describe("the database", () => {
  it("reads by an index and without a sort in every statement of an operation, a job's life, a cron, an erasure and show-account", async () => {
    const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    const client = await newClient();
    // Pending deliveries of the endpoint are not sent by themselves then.
    later(86_400_000);
    const endpoint = await newEndpoint(client);
    const { deliveryId } = await sendTest(client, endpoint);
    const job = await successfulJob(client);
    const keyId = (await client.send("POST", "/v1/api-keys", { label: "key" }, { "idempotency-key": "k" }))
      .body.apiKey.keyId;
    const stripe = new FakeStripe(fakeElsewhere);
    await ringEndpoint(endpoint);
    for (const operation of OPERATION_IDS) {
      const taskId = await uploaded(client);
      const { jobId } = operation === "deleteJob" ? await newJob(client) : job;
      const { endpointId } = endpoint;
      const named = { jobId, keyId, taskId, endpointId, deliveryId };
      const { method, path, headers, body } = requestOf(operation, named);
      await asTimePasses(client.send(method, path, body, headers));
    }
    await createSession(client, "checkout");
    later(A_MONTH);
    await ring(job.jobId);
    for (const cron of CRONS) await worker.scheduled(createScheduledController({ cron }), env);
    expect(stripe.calls.length).toBeGreaterThan(0);
    await showAccount(database, client.accountId, Date.now());
    await eraseAccount(home.platform, client.accountId, Date.now());

    const statements = new Set(prepare.mock.calls.map(([sql]) => String(sql)));
    prepare.mockRestore();
    for (const sql of statements) {
      const plan = await planOf(sql);
      expect(
        plan.filter((line) => isCostly(line, plan)),
        sql,
      ).toEqual([]);
    }
  });

  it("finds the uploads that a job names by their ids, and not among all of the account's", async () => {
    const client = await newClient();
    const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    await newJob(client, 2);
    const byIds = prepare.mock.calls
      .map(([sql]) => String(sql))
      .filter((sql) => /uploads[^]*json_each|json_each[^]*uploads/.test(sql));
    prepare.mockRestore();
    expect(byIds).toHaveLength(4);
    for (const sql of byIds) {
      const reads = (await planOf(sql)).filter((line) => /^SEARCH (u|uploads) /.test(line));
      expect(reads.length, sql).toBeGreaterThan(0);
      for (const read of reads) expect(read, sql).toContain("sqlite_autoindex_uploads_1 (task_id=?)");
    }
  });
});

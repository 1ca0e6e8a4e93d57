import { beforeEach, describe, expect, it, vi } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import guide from "../../../docs/operations/maintenance.md?raw";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { present } from "../../support/at.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { later } from "../../support/worker/runtime/time.ts";

const HOUR = 3_600_000;

describe("metered usage", () => {
  let stripe: FakeStripe;
  let customer: string;
  beforeEach(async () => {
    stripe = new FakeStripe();
    customer = await newCustomer();
  });

  async function newCustomer(): Promise<string> {
    const client: Client = await newClient("trial");
    await createSession(client, "checkout");
    return stripe.customerOf(client);
  }

  /** Puts an account's usage of a closed window into the outbox. */
  async function use(identifier: string, units: number, agoMs = 0, by = customer): Promise<void> {
    await home.DB.prepare(
      "INSERT INTO meter_events (identifier, customer_id, units, at, closes_at) VALUES (?1, ?2, ?3, ?4, ?4)",
    )
      .bind(identifier, by, units, Date.now() - agoMs)
      .run();
  }

  async function unsent(): Promise<unknown[]> {
    const { results } = await home.DB.prepare(
      "SELECT identifier FROM meter_events WHERE sent_at IS NULL ORDER BY identifier",
    ).all();
    return results.map(({ identifier }) => identifier);
  }

  const counted = () => stripe.fake.state.uses.map(({ identifier, units }) => [identifier, units]);
  const outcome = async () => ({ unsent: await unsent(), counted: Object.fromEntries(counted()) });

  it("of a closed window is reported once, with its identifier, customer, units and time", async () => {
    await use("job_1", 7, HOUR);
    await runCron(CRONS.report);
    await runCron(CRONS.report);
    expect(counted()).toEqual([["job_1", 7]]);
    expect(stripe.fake.state.uses[0]).toMatchObject({ customer });
    const { timestamp } = stripe.fake.state.uses[0] ?? { timestamp: 0 };
    expect(Math.abs(timestamp - (Date.now() - HOUR) / 1_000)).toBeLessThan(60);
    expect(stripe.keysOf("POST /v1/billing/meter_events")).toHaveLength(1);
    expect(await unsent()).toEqual([]);
  });

  it("is not counted again after the database was put back to before it was sent, if the restore is done by the guide", async () => {
    await use("job_1", 7, HOUR);
    await runCron(CRONS.report);
    later(30 * HOUR);
    await home.DB.prepare(
      "UPDATE meter_events SET sent_at = NULL, first_tried_at = NULL, last_tried_at = NULL, unanswered_tries = 0",
    ).run();
    const [, statement = "SELECT 1"] = /time-travel restore .*--command "(.*)"/.exec(guide) ?? [];
    await home.DB.prepare(statement).run();
    const lines = logged();
    await runCron(CRONS.report);
    expect(counted()).toEqual([["job_1", 7]]);
    expect(lines()).toContainEqual(expect.objectContaining({ event: "usage_stalled", oldest: "job_1" }));
  });

  it("waits while the secret key belongs to another Stripe account", async () => {
    for (let i = 0; i < 5; i += 1) await use(`job_${i}`, 1, i, i === 0 ? customer : await newCustomer());
    const pass = stripe.intercept;
    const other = stripe.answerAsAnotherAccount();
    const lines = logged();
    await runCron(CRONS.report);
    expect(other.state.uses).toEqual([]);
    expect(await unsent()).toHaveLength(5);
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "error", event: "customer_unknown", operation: "reportUse" }),
    );
    stripe.intercept = pass;
    later(30 * HOUR);
    await runCron(CRONS.report);
    expect(await unsent()).toEqual([]);
    expect(counted()).toHaveLength(5);
  });

  it("is reported although Stripe does not have two of its customers", async () => {
    await use("job_1", 1, 3, "cus_1");
    await use("job_2", 1, 2, "cus_2");
    await use("job_3", 1, 1);
    await runCron(CRONS.report);
    expect(await unsent()).toEqual([]);
  });

  it("is counted once even when two runs report it at the same time", async () => {
    for (let i = 0; i < 20; i += 1) await use(`job_${i}`, 1, i, i % 2 === 0 ? customer : "cus_another");
    await Promise.all([runCron(CRONS.report), runCron(CRONS.report)]);
    expect(counted()).toHaveLength(20);
    expect(await unsent()).toEqual([]);
  });

  it("is counted once when Stripe's answer was lost: Stripe knows the identifier", async () => {
    await use("job_1", 3);
    stripe.intercept = async (_request, pass) => {
      await pass();
      throw new TypeError("Network connection lost.");
    };
    await runCron(CRONS.report);
    expect(await outcome()).toEqual({ unsent: ["job_1"], counted: { job_1: 3 } });
    stripe.intercept = (_request, pass) => pass();
    await runCron(CRONS.report);
    expect(await outcome()).toEqual({ unsent: [], counted: { job_1: 3 } });
  });

  it("waits for the next run while Stripe is away, which is found out once and not for each", async () => {
    for (let i = 0; i < 5; i += 1) await use(`job_${i}`, 1);
    stripe.intercept = async () => new Response("down", { status: 503 });
    await runCron(CRONS.report);
    expect(stripe.keysOf("POST /v1/billing/meter_events")).toHaveLength(1);
    stripe.intercept = (_request, pass) => pass();
    await runCron(CRONS.report);
    expect(await unsent()).toEqual([]);
    expect(counted()).toHaveLength(5);
  });

  it("is not held up by an event that Stripe refuses", async () => {
    await use("job_1", 1, 2_000);
    await use("job_2", 1, 1_000);
    stripe.intercept = async (request, pass) =>
      new TextDecoder().decode(await request.clone().arrayBuffer()).includes("job_1")
        ? Response.json({ error: { type: "invalid_request_error", message: "no" } }, { status: 400 })
        : pass();
    await runCron(CRONS.report);
    expect(await outcome()).toEqual({ unsent: ["job_1"], counted: { job_2: 1 } });
  });

  it.runIf(isLong)(
    "waits for what Stripe has not refused yet: more refused events of one customer than a run has time for starve no other",
    async () => {
      await home.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130)
       INSERT INTO meter_events (identifier, customer_id, units, at, closes_at, first_tried_at, last_tried_at)
       SELECT 'refused_' || i, ?1, 1, ?2, ?2, ?3, ?3 FROM n`,
      )
        .bind(customer, Date.now() - 2 * HOUR, Date.now() - HOUR)
        .run();
      await use("job_1", 1, 0, await newCustomer());
      const tried: string[] = [];
      stripe.intercept = async (request, pass) => {
        const form = new TextDecoder().decode(await request.clone().arrayBuffer());
        tried.push(present(new URLSearchParams(form).get("identifier"), "identifier"));
        later(3_000);
        return form.includes("refused_")
          ? Response.json({ error: { type: "invalid_request_error", message: "no" } }, { status: 400 })
          : pass();
      };
      vi.spyOn(console, "log").mockImplementation(() => {});
      await runCron(CRONS.report);
      expect(counted()).toEqual([["job_1", 1]]);

      // An event that this run left out comes first in the next.
      expect(tried.length).toBeLessThan(130);
      const left = await home.DB.prepare(
        "SELECT identifier FROM meter_events ORDER BY last_tried_at LIMIT 1",
      ).first<string>("identifier");
      tried.length = 0;
      await runCron(CRONS.report);
      expect(tried[0]).toBe(left);
    },
  );

  /** Sets an event's first try to this long ago. */
  const tried = (identifier: string, agoMs: number) =>
    home.DB.prepare("UPDATE meter_events SET first_tried_at = ?2, last_tried_at = ?2 WHERE identifier = ?1")
      .bind(identifier, Date.now() - agoMs)
      .run();

  it("first tried 20 hours ago is never sent again, for Stripe could count it twice; it is reported instead", async () => {
    for (const [identifier, ago, triedAgo] of [
      ["job_old", 21 * HOUR, 20 * HOUR + 1_000],
      ["job_older", 23 * HOUR, 22 * HOUR],
      ["job_young", 30 * HOUR, 20 * HOUR - 60_000],
    ] as const) {
      await use(identifier, 1, ago);
      await tried(identifier, triedAgo);
    }
    const lines = logged();
    await runCron(CRONS.report);
    expect(counted()).toEqual([["job_young", 1]]);
    expect(await unsent()).toEqual(["job_old", "job_older"]);
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "error", event: "usage_stalled", count: 2, oldest: "job_older" }),
    );
  });

  it("that was never tried is sent up to 34 days after its use, and reported after that", async () => {
    await use("job_old", 1, 34 * 24 * HOUR + 1_000);
    await use("job_young", 1, 34 * 24 * HOUR - 60_000);
    const lines = logged();
    await runCron(CRONS.report);
    expect(await outcome()).toEqual({ unsent: ["job_old"], counted: { job_young: 1 } });
    expect(lines()).toContainEqual(
      expect.objectContaining({ event: "usage_stalled", count: 1, oldest: "job_old" }),
    );
  });

  it("is tried again from its first try on, which later ones don't move; an outage tries one event alone", async () => {
    for (let i = 0; i < 3; i += 1) await use(`job_${i}`, 1, (3 - i) * 1_000, i === 0 ? customer : `cus_${i}`);
    stripe.intercept = async () => new Response("down", { status: 503 });
    const rows = async () =>
      (
        await home.DB.prepare(
          "SELECT identifier, first_tried_at AS first FROM meter_events WHERE first_tried_at IS NOT NULL",
        ).all()
      ).results;
    await runCron(CRONS.report);
    const before = await rows();
    expect(before.map(({ identifier }) => identifier)).toEqual(["job_0"]);
    later(HOUR);
    await runCron(CRONS.report);
    expect(await rows()).toEqual(before);
    stripe.intercept = (_request, pass) => pass();
    await runCron(CRONS.report);
    expect(counted()).toHaveLength(3);
  });
});

describe("the hourly sweep", () => {
  const count = (table: string) => home.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");

  const left = async () => ({
    uploads: await count("uploads"),
    keys: await count("idempotency_keys"),
    events: await count("stripe_events"),
  });

  async function fill(): Promise<void> {
    const { accountId } = await newClient();
    const now = Date.now();
    const key = `INSERT INTO idempotency_keys
      (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)
      VALUES (?1, 'createApiKey', ?2, '', '', '', 0, ?3)`;
    const event = "INSERT INTO stripe_events (id, type, received_at) VALUES (?1, 'invoice.paid', ?2)";
    const upload =
      "INSERT INTO uploads (task_id, account_id, content_type, created_at) VALUES (?1, ?2, 'image/png', ?3)";
    await home.DB.batch([
      home.DB.prepare(key).bind(accountId, "old", now - 25 * HOUR),
      home.DB.prepare(key).bind(accountId, "young", now - 23 * HOUR),
      home.DB.prepare(event).bind("evt_old", now - 31 * 24 * HOUR),
      home.DB.prepare(event).bind("evt_young", now - 29 * 24 * HOUR),
      home.DB.prepare(upload).bind("old.png", accountId, now - 31 * 24 * HOUR),
      home.DB.prepare(upload).bind("young.png", accountId, now - 29 * 24 * HOUR),
    ]);
  }

  it("deletes uploads and webhook events after 30 days, idempotency keys after one", async () => {
    await fill();
    await runCron(CRONS.sweep);
    expect(await left()).toEqual({ uploads: 1, keys: 1, events: 1 });
  });

  it("does the rest when one part fails, and says which", async () => {
    await fill();
    const lines = logged();
    vi.spyOn(home.platform.media, "delete").mockRejectedValue(new Error("the bucket is away"));
    await runCron(CRONS.sweep);
    expect(await left()).toEqual({ uploads: 2, keys: 1, events: 1 });
    expect(lines()).toContainEqual(expect.objectContaining({ event: "sweep_failed", part: "uploads" }));
  });

  it("is not run by an unknown cron, which is reported", async () => {
    await fill();
    const lines = logged();
    await runCron("* * * * *");
    expect(await left()).toEqual({ uploads: 2, keys: 2, events: 2 });
    expect(new Set(lines().map(({ event }) => event))).toEqual(new Set(["unknown_cron"]));
  });
});

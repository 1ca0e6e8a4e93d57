import { beforeEach, describe, expect, it } from "vitest";
import { only } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { settledJob } from "../../support/worker/fixtures/ledger.ts";
import { FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { isLong } from "../../support/worker/client/random.ts";

const HOUR = 3_600_000;

/** The next full hour, and half a minute of it. */
const atNextHour = (ms = 30_000) => later(HOUR - (Date.now() % HOUR) + ms);

describe("metered usage by the hour", () => {
  let stripe: FakeStripe;
  let client: Client;
  let customer: string;
  beforeEach(async () => {
    stripe = new FakeStripe();
    client = await newClient("trial");
    await stripe.subscribe(client);
    customer = stripe.customerOf(client);
    atNextHour();
  });

  const hour = () => new Date().toISOString().slice(0, 13);
  const use = (units: number, endedAt = Date.now(), of = client) =>
    settledJob(of.accountId, { units, fund: "paid", endedAt });
  const counted = () => stripe.fake.state.uses.map(({ identifier, units }) => [identifier, units]);
  const windows = async () =>
    (
      await home.DB.prepare(
        "SELECT identifier, units, at, closes_at FROM meter_events ORDER BY identifier",
      ).all()
    ).results;
  const refuse = (status: number) => {
    const error = { type: "invalid_request_error", message: "no" };
    stripe.intercept = async () => Response.json({ error }, { status });
  };
  const calls = () => stripe.keysOf("POST /v1/billing/meter_events").length;

  it("is one event per account and hour, sent after the hour, for any number of jobs [4.10-14]", async () => {
    const other = await newClient("trial");
    await stripe.subscribe(other);
    for (let i = 1; i <= 20; i += 1) await use(i);
    await use(3, Date.now(), other);
    const name = hour();
    await runCron(CRONS.report);
    expect(counted()).toEqual([]);
    atNextHour();
    await runCron(CRONS.report);
    await runCron(CRONS.report);
    expect(Object.fromEntries(counted())).toEqual({
      [`${client.accountId}-${name}-1`]: 210,
      [`${other.accountId}-${name}-1`]: 3,
    });
    expect(stripe.fake.state.uses.find((one) => one.customer === customer)).toMatchObject({ units: 210 });
    expect(calls()).toBe(2);
  });

  it("counts as used in its window's hour, at its first use", async () => {
    const first = Date.now();
    await use(1, first);
    later(60_000);
    await use(1);
    atNextHour();
    await runCron(CRONS.report);
    expect(only(stripe.fake.state.uses).timestamp).toBe(Math.floor(first / 1_000));
  });

  it("is never changed after a try: later units are the hour's next part", async () => {
    const name = hour();
    const inThatHour = Date.now();
    await use(5);
    atNextHour();
    stripe.intercept = async () => new Response("down", { status: 503 });
    await runCron(CRONS.report);
    await use(2, inThatHour + 59 * 60_000);
    stripe.intercept = (_request, pass) => pass();
    await runCron(CRONS.report);
    expect(Object.fromEntries(counted())).toEqual({
      [`${client.accountId}-${name}-1`]: 5,
      [`${client.accountId}-${name}-2`]: 2,
    });
    await expect(home.DB.exec("UPDATE meter_events SET units = units + 1")).rejects.toThrow(
      "a meter event that was tried is not changed",
    );
  });

  it("that is settled more than half an hour late goes into the window that is open when it is written", async () => {
    await use(4, Date.now() - 25 * HOUR);
    expect(await windows()).toMatchObject([{ identifier: `${client.accountId}-${hour()}-1`, units: 4 }]);
    expect(only(await windows())).toMatchObject({ at: expect.toSatisfy((at) => Date.now() - at < 60_000) });
  });

  it("never reaches over the end of a billing period: a window ends with it, and another begins", async () => {
    const name = hour();
    const periodEnd = Date.now() + 600_000;
    await home.DB.prepare("UPDATE billing SET current_period_end = ?1").bind(periodEnd).run();
    await use(3);
    later(600_000);
    await use(4, periodEnd - 1);
    await use(5, periodEnd);
    await runCron(CRONS.report);
    expect(counted()).toEqual([[`${client.accountId}-${name}-1`, 7]]);
    expect(only(stripe.fake.state.uses).timestamp).toBeLessThan(periodEnd / 1_000);
    atNextHour();
    await runCron(CRONS.report);
    expect(counted()).toEqual([
      [`${client.accountId}-${name}-1`, 7],
      [`${client.accountId}-${name}-2`, 5],
    ]);
    expect(stripe.fake.state.uses.at(-1)?.timestamp).toBeGreaterThanOrEqual(Math.floor(periodEnd / 1_000));
  });

  it("from before and after a change of the subscription is in two events", async () => {
    await use(1);
    const { subscriptions, webhooks } = stripe.fake;
    await webhooks.deliver(subscriptions.cancel(only(subscriptions.of(customer))));
    await stripe.deliverAll();
    await use(2);
    expect((await windows()).map(({ units }) => units)).toEqual([1, 2]);
  });

  it.each([
    ["a wrong meter", 400],
    ["a wrong key", 401],
    ["a missing permission", 403],
    ["too many requests", 429],
  ])(
    "that Stripe rejected (%s) is sent once the operator has fixed the cause, even days later",
    async (_, status) => {
      await use(6);
      atNextHour();
      refuse(status);
      for (let day = 0; day < 3; day += 1) {
        await runCron(CRONS.report);
        later(24 * HOUR);
      }
      stripe.intercept = (_request, pass) => pass();
      await runCron(CRONS.report);
      await runCron(CRONS.report);
      expect(counted()).toMatchObject([[expect.any(String), 6]]);
      expect(calls()).toBe(4);
    },
  );

  it.runIf(isLong)("that may have been taken before it was refused is not sent after 20 hours", async () => {
    await use(6);
    atNextHour();
    stripe.intercept = async (_request, pass) => {
      await pass();
      throw new TypeError("Network connection lost.");
    };
    await runCron(CRONS.report);
    refuse(400);
    await runCron(CRONS.report);
    later(21 * HOUR);
    stripe.intercept = (_request, pass) => pass();
    const lines = logged();
    await runCron(CRONS.report);
    expect(calls()).toBe(2);
    expect(lines()).toContainEqual(expect.objectContaining({ event: "usage_stalled", count: 1 }));
  });

  it("reports at each run how long the oldest has waited, and alarms when it is half an hour", async () => {
    const lines = logged();
    const reports = () =>
      lines()
        .filter(({ event }) => event === "usage_reported" || event === "usage_lagging")
        .filter((line) => line["database"] === home.name);
    await runCron(CRONS.report);
    expect(reports()).toMatchObject([{ event: "usage_reported", due: 0, oldestSeconds: null }]);
    await use(1);
    atNextHour(60_000);
    refuse(400);
    await runCron(CRONS.report);
    expect(reports().at(-1)).toMatchObject({ due: 1, sent: 0, oldestSeconds: 60 });
    later(30 * 60_000);
    await runCron(CRONS.report);
    expect(reports().slice(2)).toMatchObject([
      { level: "error", event: "usage_lagging", oldestSeconds: 1_860 },
      { event: "usage_reported", oldestSeconds: 1_860 },
    ]);
  });
});

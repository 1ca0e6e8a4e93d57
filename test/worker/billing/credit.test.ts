import { beforeEach, describe, expect, it, vi } from "vitest";
import { present } from "../../support/at.ts";
import { type Answer, type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { entriesOf, settledJob } from "../../support/worker/fixtures/ledger.ts";
import { imageJob, newJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { happens, subscriptionOf, report, HOUR } from "../../support/worker/fixtures/subscriptions.ts";
import { isLong } from "../../support/worker/client/random.ts";

const DAY = 24 * HOUR;

let inference: FakeInference;
let stripe: FakeStripe;
beforeEach(() => {
  inference = new FakeInference();
  const byInference = present(vi.mocked(fetch).getMockImplementation(), "the fake inference service");
  stripe = new FakeStripe((request) => byInference(request));
});

const askFor = async (client: Client, pictures: number): Promise<Answer> =>
  client.send("POST", "/v1/jobs", imageJob(await uploads(client, pictures)));
const canCreateJobs = async (client: Client): Promise<boolean> =>
  (await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs;

describe("the credit of a subscriber", () => {
  const CREDIT = 5;
  let client: Client;
  beforeEach(async () => {
    overrideSettings({ CREDIT_UNITS: CREDIT });
    client = await newClient("trial");
    await stripe.subscribe(client);
  });

  const use = (units: number): Promise<string> =>
    settledJob(client.accountId, { units, fund: "paid", endedAt: Date.now() });

  it("bounds its usage before payment: the day's limit begins as low, and the next day adds nothing [4.10-19]", async () => {
    expectError(await askFor(client, CREDIT + 1), 402, "daily_limit_reached");
    await use(3);
    later(DAY);
    const refused = await askFor(client, 3);
    expectError(refused, 402, "payment_required");
    expect(refused.body.message).toContain("may have used 5 units that are not paid yet; left: 2.");
    expect(refused.body).toHaveProperty("upgradeUrl");
    expect(refused.body).not.toHaveProperty("retryAfterSeconds");
    expect((await askFor(client, 2)).status).toBe(202);
    expect(await canCreateJobs(client)).toBe(false);
    expectError(await askFor(client, 1), 402, "payment_required");
  });

  it("grows with payments: by the paid units, which no longer count as owed [4.10-19]", async () => {
    await use(CREDIT);
    await report();
    await happens(stripe, client, "renew");
    later(DAY);
    expect(await canCreateJobs(client)).toBe(true);
    expectError(await askFor(client, 2 * CREDIT + 1), 402, "daily_limit_reached");
    expect((await askFor(client, 2 * CREDIT)).status).toBe(202);
    later(DAY);
    expectError(await askFor(client, 1), 402, "payment_required");
  });

  it("gets back the units that its jobs did not use", async () => {
    const { jobId } = await newJob(client, CREDIT);
    await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
    later(DAY);
    expect((await askFor(client, CREDIT)).status).toBe(202);
  });

  it("does not grow with an invoice of nothing, as the first one is, nor with an open one", async () => {
    await use(CREDIT);
    await report();
    await happens(stripe, client, "failPayment");
    later(DAY);
    expectError(await askFor(client, 1), 402, "payment_required");
    await happens(stripe, client, "payInvoice");
    expect((await askFor(client, 1)).status).toBe(202);
  });

  it("is not exceeded by jobs that come at once [4.10-19]", async () => {
    await use(2);
    later(DAY);
    const tasks = await uploads(client, 1);
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 12 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(CREDIT - 2);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expectError(answer, 402, "payment_required");
  });

  it("does not start over with another subscription or another customer of the account", async () => {
    await use(CREDIT);
    await happens(stripe, client, "cancel");
    await stripe.subscribe(client);
    later(DAY);
    expectError(await askFor(client, 1), 402, "payment_required");
    await stripe.deleteCustomer(client);
    await stripe.deliverAll();
    await stripe.subscribe(client);
    expectError(await askFor(client, 1), 402, "payment_required");
  });

  it("keeps a deleted customer's payments", async () => {
    await use(CREDIT);
    await report();
    await happens(stripe, client, "renew");
    await stripe.deleteCustomer(client);
    await stripe.deliverAll();
    await stripe.subscribe(client);
    later(DAY);
    expect((await askFor(client, CREDIT)).status).toBe(202);
  });

  it("is the account's if the operator has set one, and unlimited if the operator has set the plan", async () => {
    const set = (column: "credit_units" | "plan", value: number | string | null) =>
      home.DB.prepare(`UPDATE accounts SET ${column} = ?2 WHERE id = ?1`).bind(client.accountId, value).run();
    await use(CREDIT);
    later(DAY);
    await set("credit_units", 2 * CREDIT);
    expect((await askFor(client, CREDIT)).status).toBe(202);
    expectError(await askFor(client, 1), 402, "payment_required");
    await set("credit_units", null);
    expectError(await askFor(client, 1), 402, "daily_limit_reached");
    await set("plan", "paid");
    expect((await askFor(client, 2 * CREDIT)).status).toBe(202);
  });
});

describe("an overdue invoice", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient("trial");
    await stripe.subscribe(client);
    await settledJob(client.accountId, { units: 3, fund: "paid", endedAt: Date.now() });
    await report();
    await happens(stripe, client, "failPayment");
  });

  it("of a subscription that has ended refuses a new checkout and every job, until it is paid [4.10-20]", async () => {
    await happens(stripe, client, "cancel");
    const refused = await createSession(client, "checkout");
    expectError(refused, 402, "payment_required");
    expect((await createSession(client, "portal")).status).toBe(201);
    expectError(await askFor(client, 1), 402, "payment_required");
    const { access, billing } = (await client.send("GET", "/v1/account/overview")).body;
    expect(access).toMatchObject({ mode: "blocked", reason: "billing_delinquent", canCreateJobs: false });
    expect(billing).toMatchObject({ accessStatus: "blocked", stripeSubscriptionStatus: "canceled" });

    await happens(stripe, client, "payInvoice");
    expect((await createSession(client, "checkout")).status).toBe(201);
    expect((await askFor(client, 1)).status).toBe(202);
  });

  it("refuses the checkout even before its webhook has come [4.10-20]", async () => {
    stripe.fake.subscriptions.cancel(subscriptionOf(stripe, client));
    expectError(await createSession(client, "checkout"), 402, "payment_required");
  });

  it("that the operator has given up is still owed", async () => {
    await happens(stripe, client, "giveUp");
    await happens(stripe, client, "cancel");
    expectError(await createSession(client, "checkout"), 402, "payment_required");
    expectError(await askFor(client, 1), 402, "payment_required");
  });

  it.runIf(isLong)("is noticed as paid at night if the webhook was lost", async () => {
    await happens(stripe, client, "cancel");
    stripe.fake.subscriptions.payInvoice(subscriptionOf(stripe, client));
    await runCron(CRONS.nightly);
    expect((await askFor(client, 1)).status).toBe(202);
  });
});

describe("the end of a subscription", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient("trial");
    await stripe.subscribe(client);
  });

  const reported = () => stripe.fake.state.uses.map(({ units }) => units);

  it("reports earlier usage within minutes, not at the end of its hour [4.10-21]", async () => {
    await settledJob(client.accountId, { units: 7, fund: "paid", endedAt: Date.now() });
    await runCron(CRONS.report);
    expect(reported()).toEqual([]);
    await happens(stripe, client, "cancel");
    await runCron(CRONS.report);
    expect(reported()).toEqual([7]);
  });

  it("cancels waiting tasks; running ones are completed [4.10-21]", async () => {
    const { jobId, tasks } = await newJob(client, 8);
    const [begun = "", held = ""] = tasks;
    await deliverTask(jobId, begun);
    const first = inference.last;
    await deliverTask(jobId, held);
    await callBack(inference.last, "complete", success());
    await happens(stripe, client, "cancel");
    await runCron(CRONS.report);
    const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
    const statuses = body.tasks.map(({ status }: { status: string }) => status);
    expect(statuses.toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => "failed"),
      "processing",
      "success",
    ]);
    expect(body.tasks[7].error).toContain("canceled");
    await callBack(first, "complete", success());
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 8],
        ["settle", 2],
        ["release", 6],
      ]);
  });

  it("cancels nothing if the account subscribes again, or the operator's plan allows it", async () => {
    const { jobId } = await newJob(client, 2);
    await happens(stripe, client, "cancel");
    await stripe.subscribe(client);
    await runCron(CRONS.report);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("queued");
    expect(await home.platform.billing.ended(10)).toEqual([]);
  });

  it("is made up for by a later cron if a job could not be reached", async () => {
    const { jobId } = await newJob(client, 1);
    await happens(stripe, client, "cancel");
    const { jobObject } = home.platform;
    const broken = vi.spyOn(home.platform, "jobObject").mockImplementation(() => {
      throw new Error("the object is away");
    });
    await runCron(CRONS.report);
    expect(await home.platform.billing.ended(10)).toHaveLength(1);
    broken.mockImplementation(jobObject);
    await runCron(CRONS.report);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("failed");
    expect(await home.platform.billing.ended(10)).toEqual([]);
  });
});

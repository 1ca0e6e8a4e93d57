import { describe, expect, it, vi } from "vitest";
import { AccountOverview } from "../../../../src/accounts/contract/account.ts";
import { JobObject } from "../../../../src/jobs/object/job-object.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { failure, finishJob, FakeInference, success } from "../../../support/worker/fakes/inference.ts";
import { newJob } from "../../../support/worker/fixtures/jobs.ts";
import { makeCustomer, useTokens } from "../../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { later } from "../../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

describe("getAccountOverview 200", () => {
  const overview = async (client: Client): Promise<AccountOverview> => {
    const { status, body } = await client.send("GET", "/v1/account/overview");
    expect(status).toBe(200);
    return AccountOverview.parse(body);
  };

  it("shows a new account that it may begin its trial [1-7 2.9-1 4.8-3 2.9-2 2.9-3 2.9-4 4.3-33]", async () => {
    expect(await overview(await newClient("trial"))).toEqual({
      tokenUsageLast24h: 0,
      billing: {},
      access: {
        mode: "trial",
        reason: "trial_eligible",
        canCreateJobs: true,
        videoAllowed: false,
        downloadsAllowed: true,
        maxImageTasksPerJob: 3,
        maxActiveJobs: 1,
      },
      trial: {
        offerVersion: "v1",
        status: "eligible",
        grantTokens: 100,
        consumedTokens: 0,
        remainingTokens: 100,
        durationDays: 14,
        startedAt: null,
        expiresAt: null,
        activeJobId: null,
      },
    });
  });

  it("counts a trial job's reservation as consumed, and names that job [2.9-4]", async () => {
    const client = await newClient("trial");
    const { jobId, tasks } = await newJob(client, 3);
    const { createdAt } = (await client.send("GET", `/v1/jobs/${jobId}`)).body;
    expect(await overview(client)).toMatchObject({
      tokenUsageLast24h: 0,
      access: { reason: "trial_active", canCreateJobs: true },
      trial: {
        status: "active",
        consumedTokens: 3,
        remainingTokens: 97,
        startedAt: createdAt,
        expiresAt: new Date(Date.parse(createdAt) + 14 * DAY).toISOString(),
        activeJobId: jobId,
      },
    });

    await finishJob(new FakeInference(), client.accountId, jobId, tasks, (_, i) =>
      i === 0 ? failure(false) : success(),
    );
    expect(await overview(client)).toMatchObject({
      tokenUsageLast24h: 2,
      trial: { consumedTokens: 2, remainingTokens: 98, activeJobId: null },
    });
  });

  it.each([
    ["trial_exhausted", 100, 0, { status: "exhausted", consumedTokens: 100, remainingTokens: 0 }],
    ["trial_expired", 1, 14 * DAY, { status: "expired", consumedTokens: 1, remainingTokens: 99 }],
  ])("shows that a trial has ended: %s [2.9-4]", async (reason, used, ago, trial) => {
    const client = await newClient("trial");
    await useTokens(client.accountId, used, Date.now() - ago);
    expect(await overview(client)).toMatchObject({
      access: { mode: "trial", reason, canCreateJobs: false, downloadsAllowed: true },
      trial,
    });
  });

  it("shows a paid account its full access, and no billing without a provider [1-7 2.9-3 4.3-40]", async () => {
    const client = await newClient("paid");
    await newJob(client);
    expect(await overview(client)).toMatchObject({
      billing: {},
      access: {
        mode: "paid",
        reason: "paid_access",
        canCreateJobs: true,
        videoAllowed: true,
        downloadsAllowed: true,
        maxImageTasksPerJob: 100,
        maxActiveJobs: 1_000,
      },
      trial: { status: "eligible", consumedTokens: 0, activeJobId: null },
    });
  });

  it("shows a blocked account that it can create no jobs, but download [2.9-3 4.3-42]", async () => {
    expect((await overview(await newClient("blocked"))).access).toEqual({
      mode: "blocked",
      reason: "billing_delinquent",
      canCreateJobs: false,
      videoAllowed: false,
      downloadsAllowed: true,
      maxImageTasksPerJob: 0,
      maxActiveJobs: 0,
    });
  });

  it.each([
    ["active", "allowed", "paid", "paid_access"],
    ["trialing", "allowed", "paid", "paid_access"],
    ["past_due", "blocked", "blocked", "billing_delinquent"],
    ["unpaid", "blocked", "blocked", "billing_delinquent"],
    ["canceled", "allowed", "trial", "trial_eligible"],
    ["incomplete", "allowed", "trial", "trial_eligible"],
  ])(
    "shows the access of a subscription that is %s: billing %s, mode %s [2.9-5 4.10-11]",
    async (status, standing, mode, reason) => {
      const client = await newClient("trial");
      await makeCustomer(client.accountId, status);
      const periodEnd = Date.parse("2026-12-31T23:59:59.000Z");
      await home.DB.prepare("UPDATE billing SET current_period_end = ?1, latest_invoice_status = 'paid'")
        .bind(periodEnd)
        .run();
      const { billing, access } = await overview(client);
      expect(billing).toEqual({
        accessStatus: standing,
        currentPeriodEnd: "2026-12-31T23:59:59.000Z",
        latestInvoiceStatus: "paid",
        stripeSubscriptionStatus: status,
      });
      expect(access).toMatchObject({ mode, reason });
    },
  );

  it.each([
    ["trial", "allowed"],
    ["paid", "allowed"],
    ["blocked", "blocked"],
  ] as const)(
    "shows for a customer who never subscribed, on the plan %s, only that access is %s [2.9-5 A24-2]",
    async (plan, accessStatus) => {
      const client = await newClient(plan);
      await makeCustomer(client.accountId);
      expect((await overview(client)).billing).toEqual({ accessStatus });
    },
  );

  it("counts the units of the last 24 hours of trial and paid jobs alike, and no others' [2.9-6]", async () => {
    const client = await newClient("trial");
    await useTokens(client.accountId, 4, Date.now() - DAY + 60_000);
    await useTokens(client.accountId, 8, Date.now() - DAY - 60_000);
    const other = await newClient("trial");
    await useTokens(other.accountId, 16);
    await home.DB.prepare("UPDATE accounts SET plan = 'paid' WHERE id = ?1").bind(client.accountId).run();
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    const used = async () => (await overview(client)).tokenUsageLast24h;
    await expect.poll(used).toBe(6);
    later(2 * 60_000);
    expect(await used()).toBe(2);
  });

  it("shows the known data of a trial account with an unreachable job", async () => {
    const client = await newClient("trial");
    const { jobId } = await newJob(client, 3);
    vi.spyOn(JobObject.prototype, "sync").mockRejectedValue(new Error("the object was reset"));
    expect(await overview(client)).toMatchObject({ trial: { consumedTokens: 3, activeJobId: jobId } });
  });

  it("follows the operator's offer, also of a trial that has begun under another", async () => {
    const client = await newClient("trial");
    await useTokens(client.accountId, 60);
    overrideSettings({ TRIAL_OFFER_VERSION: "spring", TRIAL_TOKENS: 50, TRIAL_DAYS: 7 });
    expect((await overview(client)).trial).toMatchObject({
      offerVersion: "spring",
      status: "exhausted",
      grantTokens: 50,
      consumedTokens: 50,
      remainingTokens: 0,
      durationDays: 7,
    });
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { makeCustomer, settledJob, useUnits } from "../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

/** Returns the hourly run's log lines of an event, without the common fields. */
async function watched(event: string): Promise<object[]> {
  const lines = logged();
  const earlier = lines().length;
  await runCron(CRONS.sweep);
  return lines()
    .slice(earlier)
    .filter((line) => line.event === event)
    .map(({ account, units, percent, chargedUnits, tasks, files }) =>
      event === "account_owes" ? { account, units, percent } : { account, units, chargedUnits, tasks, files },
    );
}

beforeEach(() => later(0));

describe("the unpaid units of accounts", () => {
  const owes = () => watched("account_owes");

  async function customer(): Promise<string> {
    const { accountId } = await newClient("trial");
    await makeCustomer(accountId, "active");
    return accountId;
  }

  const pays = (accountId: string, units: number) =>
    home.DB.prepare("UPDATE billing SET paid_units = ?2 WHERE account_id = ?1").bind(accountId, units).run();

  it("are those that were used or reserved and not paid, by how much of the credit they are, the most first", async () => {
    overrideSettings({ CREDIT_UNITS: 100 });
    const [one, other] = [await customer(), await customer()];
    await useUnits(one, 60, Date.now());
    await useUnits(other, 200, Date.now());
    await pays(other, 100);
    expect(await owes()).toEqual([
      { account: other, units: 100, percent: 50 },
      { account: one, units: 60, percent: 60 },
    ]);
    await pays(one, 60);
    await pays(other, 200);
    expect(await owes()).toEqual([]);
  });

  it("are owed after the end of the subscription, but not by accounts set to paid by the operator", async () => {
    const account = await customer();
    await useUnits(account, 60, Date.now());
    await home.DB.prepare("UPDATE billing SET subscription_status = 'canceled' WHERE account_id = ?1")
      .bind(account)
      .run();
    await useUnits((await newClient("paid")).accountId, 500, Date.now());
    expect(await owes()).toMatchObject([{ account, units: 60 }]);
  });

  it("are all of a credit of nothing", async () => {
    overrideSettings({ CREDIT_UNITS: 0 });
    const account = await customer();
    await useUnits(account, 1, Date.now());
    expect(await owes()).toEqual([{ account, units: 1, percent: 100 }]);
  });
});

describe("the work of a day that an account is not charged for", () => {
  const uncharged = () => watched("account_uncharged");
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient();
    inference = new FakeInference();
  });

  async function ended(outcome: object): Promise<void> {
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", outcome);
  }
  const problem = { code: "input_unreadable", message: "It cannot be read." };
  const failed = { outcome: "failed", problem, retryable: false };

  it("are its failed tasks, without those in progress or successful", async () => {
    await ended(success());
    await newJob(client, 3);
    expect(await uncharged()).toEqual([]);
    for (let i = 0; i < 2; i += 1) await ended(failed);
    expect(await uncharged()).toEqual([
      { account: client.accountId, units: 2, chargedUnits: 1, tasks: 3, files: expect.any(Number) },
    ]);
    later(DAY);
    expect(await uncharged()).toEqual([]);
  });

  it("are files beyond a hundred for each unit", async () => {
    await settledJob(client.accountId, { units: 2, fund: "paid", endedAt: Date.now() });
    await home.DB.prepare("UPDATE daily_use SET files = 950 WHERE account_id = ?1")
      .bind(client.accountId)
      .run();
    expect(await uncharged()).toEqual([
      { account: client.accountId, units: 7, chargedUnits: 2, tasks: 2, files: 950 },
    ]);
  });

  it("are never a trial's, which pays nothing", async () => {
    client = await newClient("trial");
    await ended(failed);
    expect(await uncharged()).toEqual([]);
  });
});

import { beforeEach, describe, expect, it, vi } from "vitest";
import { present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, videoSuccess } from "../../support/worker/fakes/inference.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { MP4, uploaded, videoJob } from "../../support/worker/fixtures/jobs.ts";
import { createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { amount, isLong } from "../../support/worker/client/random.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { subscriptionOf, happens, report, HOUR } from "../../support/worker/fixtures/subscriptions.ts";

const DAY = 24 * HOUR;

let inference: FakeInference;
let stripe: FakeStripe;
beforeEach(() => {
  inference = new FakeInference();
  const byInference = present(vi.mocked(fetch).getMockImplementation(), "the fake inference service");
  stripe = new FakeStripe((request) => byInference(request));
});

const canCreateJobs = async (client: Client): Promise<boolean> =>
  (await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs;

/** Frames of a video: every limit here is a multiple of the first size, and one frame more would show. */
const SIZES = [2_500, 1];

/** A subscriber who uses every day all that the service allows. */
class Customer {
  readonly client: Client;
  used = 0;
  mostOwed = 0;
  /** Its credit limit when it owed most: its first credit, and its payments. */
  bound = 0;

  constructor(client: Client) {
    this.client = client;
  }

  get paid(): number {
    const { customers, invoices } = stripe.fake.state;
    const own = customers.filter(({ accountId }) => accountId === this.client.accountId);
    const ids = new Set(own.map(({ id }) => id));
    const paid = invoices.filter(({ customer, status }) => ids.has(customer) && status === "paid");
    return paid.reduce((sum, { units }) => sum + units, 0);
  }

  async useAll(): Promise<void> {
    if (!(await canCreateJobs(this.client))) return;
    const taskId = await uploaded(this.client, MP4, "video/mp4");
    for (const frames of SIZES) {
      for (;;) {
        const { status, body } = await this.client.send(
          "POST",
          "/v1/jobs",
          videoJob(taskId, { maxFrames: frames }),
        );
        if (status !== 202) break;
        await deliverTask(body.jobId, taskId);
        await callBack(inference.last, "complete", videoSuccess(frames));
        await expect.poll(() => entriesOf(body.jobId)).toHaveLength(3);
        this.used += frames;
        this.#note();
      }
    }
  }

  #note(): void {
    const owed = this.used - this.paid;
    const bound = home.platform.settings.CREDIT_UNITS + this.paid;
    expect(owed).toBeLessThanOrEqual(bound);
    if (owed > this.mostOwed) [this.mostOwed, this.bound] = [owed, bound];
  }
}

describe("three months of customers who use all that they may", () => {
  /** Days from one invoice to the next: enough to use up the limit and to pay late. More would test nothing new. */
  const MONTH = amount({ short: 6, long: 12 });
  const LATE = amount({ short: 2, long: 10 });
  const CREDIT = 10_000;

  beforeEach(() => {
    // The limiter counts in real time, and a month takes seconds here.
    vi.spyOn(home.platform.requestRate, "admits").mockResolvedValue(true);
  });

  /** Performs the customer's actions of each day, from 1, and reports the usage. Returns the outcome. */
  async function play(
    act: (customer: Customer, day: number) => Promise<void>,
    months = 3,
  ): Promise<{ used: number; paid: number; mostOwed: number; bound: number }> {
    const client = await newClient("trial");
    await stripe.subscribe(client);
    const customer = new Customer(client);
    for (let day = 1; day <= months * MONTH; day += 1) {
      await act(customer, day);
      later(DAY - HOUR);
      await report();
    }
    const { used, paid, mostOwed, bound } = customer;
    return { used, paid, mostOwed, bound };
  }

  it.runIf(isLong)("a paying customer may use twice as much each month, up to the day's limit", async () => {
    const outcome = await play(async (customer, day) => {
      await customer.useAll();
      if (day % MONTH !== 0) return;
      await report();
      await happens(stripe, customer.client, "renew");
    });
    expect(outcome).toEqual({ used: 70_000, paid: 70_000, mostOwed: 40_000, bound: 40_000 });
  });

  it.runIf(isLong)("a customer who pays days late waits as long, and owes no more", async () => {
    const outcome = await play(async (customer, day) => {
      await customer.useAll();
      if (day % MONTH === LATE && day > MONTH) await happens(stripe, customer.client, "payInvoice");
      if (day % MONTH !== 0) return;
      await report();
      await happens(stripe, customer.client, "failPayment");
    });
    expect(outcome).toEqual({ used: 70_000, paid: 30_000, mostOwed: 40_000, bound: 40_000 });
  });

  it.runIf(isLong)(
    "a customer who cancels before each invoice and subscribes again gets only the first credit",
    async () => {
      const outcome = await play(async (customer) => {
        await customer.useAll();
        await happens(stripe, customer.client, "cancel");
        await customer.useAll();
        await stripe.subscribe(customer.client);
      }, 1);
      expect(outcome).toEqual({ used: CREDIT, paid: 0, mostOwed: CREDIT, bound: CREDIT });
    },
  );

  it.runIf(isLong)(
    "a customer who never pays owes the first credit; one who pays once, as much again [4.10-19]",
    async () => {
      const cheat = (paysOnce: boolean) =>
        play(async (customer, day) => {
          await customer.useAll();
          const { status } = subscriptionOf(stripe, customer.client);
          if (status === "canceled")
            expectError(await createSession(customer.client, "checkout"), 402, "payment_required");
          if (day % MONTH === 5 && status === "past_due") await happens(stripe, customer.client, "cancel");
          if (day % MONTH !== 0 || status !== "active") return;
          await report();
          await happens(stripe, customer.client, paysOnce && day === MONTH ? "renew" : "failPayment");
        });
      expect(await cheat(false)).toEqual({ used: CREDIT, paid: 0, mostOwed: CREDIT, bound: CREDIT });
      expect(await cheat(true)).toEqual({ used: 30_000, paid: CREDIT, mostOwed: 20_000, bound: 20_000 });
    },
  );
});

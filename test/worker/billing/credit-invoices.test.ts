import { beforeEach, describe, expect, it } from "vitest";
import type { Invoice, Subscription } from "../../../scripts/local/fakes/stripe/state.ts";
import type { Happening } from "../../../scripts/local/fakes/stripe/subscriptions.ts";
import { billingSettingsOf } from "../../../src/feature-settings.ts";
import { Payments } from "../../../src/billing/store/payments.ts";
import { present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { settledJob } from "../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { billingRow, createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CREDIT = 5;
const NEWSLETTER = "price_of_a_newsletter";

describe("the invoices of a customer", () => {
  let stripe: FakeStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new FakeStripe();
    overrideSettings({ CREDIT_UNITS: CREDIT });
    client = await newClient("trial");
    await stripe.subscribe(client);
  });

  const subscription = (price: string | null = null): Subscription => {
    const all = stripe.fake.subscriptions.of(stripe.customerOf(client));
    return present(
      all.find((one) => one.price === price),
      "subscription",
    );
  };

  async function happens(happenings: Happening[]): Promise<void> {
    await stripe.fake.webhooks.deliver(happenings);
    await stripe.deliverAll();
  }

  /** Uses this many units, and reports them. */
  async function use(units: number): Promise<void> {
    await settledJob(client.accountId, { units, fund: "paid", endedAt: Date.now() });
    later(HOUR + 1);
    await runCron(CRONS.report);
  }

  const askFor = async (pictures: number) =>
    client.send("POST", "/v1/jobs", imageJob(await uploads(client, pictures)));

  it("count if they are paid, with any number of newer ones [4.10-19]", async () => {
    const { customer, id } = subscription();
    const { invoices } = stripe.fake.state;
    const paid = (units: number): Invoice => ({
      id: `in_${invoices.length}`,
      customer,
      subscription: id,
      status: "paid",
      amount: units,
      units,
      created: 0,
      price: null,
      processing: false,
    });
    invoices.push(paid(7));
    for (let i = 0; i < 250; i += 1) invoices.push(paid(0));
    invoices.push(paid(3));
    await happens([{ type: "invoice.paid", object: { customer } }]);
    expect(await billingRow(client)).toMatchObject({ paid_units: 10, owes: 0 });
  });

  it("for other products neither raise the credit nor count as overdue [4.10-19 4.10-20]", async () => {
    const { subscriptions } = stripe.fake;
    await happens(subscriptions.begin(stripe.customerOf(client), NEWSLETTER));
    await use(CREDIT);
    await happens(subscriptions.renew(subscription(NEWSLETTER)));
    expect(await billingRow(client)).toMatchObject({ paid_units: 0, owes: 0 });
    later(DAY);
    expectError(await askFor(1), 402, "payment_required");
    await use(1);
    await happens(subscriptions.failPayment(subscription(NEWSLETTER)));
    expect(await billingRow(client)).toMatchObject({ subscription_status: "active", owes: 0 });

    await happens(subscriptions.renew(subscription()));
    expect(await billingRow(client)).toMatchObject({ paid_units: CREDIT + 1, owes: 0 });
    const settings = billingSettingsOf({
      ...home.platform.settings,
      STRIPE_FORMER_PRICE_IDS: [NEWSLETTER],
    });
    const withFormer = new Payments(present(settings, "settings"));
    const state = await withFormer.stateOf(stripe.customerOf(client));
    expect(state).toMatchObject({ owes: true, paidUnits: 2 * CREDIT + 1 });
  });

  it("are neither paid nor overdue during a bank debit, until it has succeeded or failed [4.10-19 4.10-20]", async () => {
    const { subscriptions } = stripe.fake;
    await use(3);
    await happens(subscriptions.debit(subscription()));
    expect(await billingRow(client)).toMatchObject({ paid_units: 0, owes: 0 });
    expect((await askFor(1)).status).toBe(202);
    later(DAY);
    expectError(await askFor(2), 402, "payment_required");

    await happens(subscriptions.failDebit(subscription()));
    expectError(await askFor(1), 402, "payment_required");
    await happens(subscriptions.cancel(subscription()));
    expectError(await createSession(client, "checkout"), 402, "payment_required");
    await happens(subscriptions.payInvoice(subscription()));
    expect(await billingRow(client)).toMatchObject({ paid_units: 3, owes: 0 });
  });
});

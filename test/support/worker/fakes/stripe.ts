import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Stripe } from "stripe";
import { vi } from "vitest";
import { createStripeFake, type StripeFake } from "../../../../scripts/local/fakes/stripe/fake.ts";
import worker from "../../../../src/index.ts";
import { billingSettingsOf, type BillingSettings } from "../../../../src/feature-settings.ts";
import { answerOf, type Answer, type Client } from "../client/api.ts";
import { present } from "../../at.ts";
import { home } from "../runtime/databases.ts";

function testSettings(): BillingSettings {
  const settings = billingSettingsOf(home.platform.settings);
  if (settings === null) throw new Error("the tests have no STRIPE_ settings");
  return settings;
}
const settings = testSettings();

/** Every call of the Worker passes through this; it may answer in Stripe's place. */
type Interception = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

/** The Stripe fake behind the Worker's fetch. It keeps its signed webhooks for the test to deliver. */
export class FakeStripe {
  readonly fake: StripeFake;
  /** The webhooks that Stripe sent, in its order. */
  readonly webhooks: Request[] = [];
  /** The Worker's calls: method and path, and the idempotency key. */
  readonly calls: { call: string; key: string | null }[] = [];
  intercept: Interception = (_request, pass) => pass();

  /** @param elsewhere answers requests to other servers; without it, they fail the test */
  constructor(elsewhere?: (request: Request) => Promise<Response>) {
    this.fake = createStripeFake({
      ...settings,
      webhookUrl: "https://api.test/webhooks/stripe",
      send: async (request) => {
        this.webhooks.push(request);
        return new Response();
      },
    });
    // Retries failed calls at once.
    vi.spyOn(Stripe.prototype, "getInitialNetworkRetryDelay").mockReturnValue(0);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const { origin, pathname } = new URL(request.url);
      if (origin !== settings.apiUrl) {
        if (elsewhere !== undefined) return elsewhere(request);
        throw new Error(`a test reached for ${request.url}`);
      }
      this.calls.push({
        call: `${request.method} ${pathname}`,
        key: request.headers.get("idempotency-key"),
      });
      return this.intercept(request, async () => this.fake.app.fetch(request));
    });
  }

  /** Answers as another Stripe account from now on, as if the secret key belonged to that account. Returns its fake. */
  answerAsAnotherAccount(): StripeFake {
    const other = createStripeFake({
      ...settings,
      webhookUrl: "https://another.test",
      send: async () => new Response(),
    });
    this.intercept = async (request) => other.app.fetch(request);
    return other;
  }

  /** Adds a customer with this id, without a checkout. */
  has(customerId: string): void {
    this.fake.state.customers.push({ id: customerId, email: null, accountId: null, created: 0 });
  }

  /** The keys of the Worker's calls of one kind. */
  keysOf(call: string): (string | null)[] {
    return this.calls.filter((one) => one.call === call).map(({ key }) => key);
  }

  /** Presses a button on a page of Stripe. */
  async press(url: string): Promise<Response> {
    return this.fake.app.request(url, { method: "POST" });
  }

  /** Delivers the webhooks sent since the last call. Returns the status of each answer. */
  async deliverAll(): Promise<number[]> {
    const statuses: number[] = [];
    for (const webhook of this.webhooks.splice(0)) statuses.push((await deliver(webhook)).status);
    return statuses;
  }

  /** Makes an account subscribe: by the checkout, its button, and the webhooks. */
  async subscribe(client: Client): Promise<void> {
    const { body } = await createSession(client, "checkout");
    await this.press(body.url);
    await this.deliverAll();
  }

  /** Deletes the customer of an account, as an operator does in Stripe's dashboard; the webhook waits. */
  async deleteCustomer(client: Client): Promise<void> {
    const { customers, deletedCustomers, subscriptions } = this.fake.state;
    const id = this.customerOf(client);
    const [object] = customers.splice(
      customers.findIndex((one) => one.id === id),
      1,
    );
    deletedCustomers.push(id);
    for (const one of subscriptions.filter(({ customer }) => customer === id)) {
      await this.fake.webhooks.deliver(this.fake.subscriptions.cancel(one));
    }
    await this.fake.webhooks.deliver([
      { type: "customer.deleted", object: { ...object, object: "customer" } },
    ]);
  }

  /** The customer of an account that has a session already. */
  customerOf({ accountId }: Client): string {
    const customer = this.fake.state.customers.find((one) => one.accountId === accountId);
    if (customer === undefined) throw new Error(`${accountId} is no customer`);
    return customer.id;
  }
}

export const createSession = (
  client: Client,
  kind: "checkout" | "portal",
  key: string = crypto.randomUUID(),
): Promise<Answer> => client.send("POST", `/v1/billing/${kind}`, undefined, { "idempotency-key": key });

/** Delivers a webhook to the Worker, in the test's context so that a test can hold the work behind it. */
export async function deliver(webhook: Request): Promise<Answer> {
  const response = await worker.fetch(webhook.clone(), env, createExecutionContext());
  return answerOf(response);
}

/** Sends a request to a Worker whose operator has no billing. */
export async function sendWithoutBilling(request: Request): Promise<Answer> {
  const unset = {
    STRIPE_SECRET_KEY: undefined,
    STRIPE_WEBHOOK_SECRET: undefined,
    STRIPE_PRICE_ID: undefined,
  };
  const response = await worker.fetch(request, Object.assign({}, env, unset), createExecutionContext());
  return answerOf(response);
}

/** Returns the number of noted webhook events. */
export const notedEvents = async (): Promise<number> =>
  present(await home.DB.prepare("SELECT count(*) AS n FROM stripe_events").first<number>("n"), "count");

/** Returns the row of an account's billing. */
export const billingRow = ({ accountId }: Client): Promise<Record<string, unknown> | null> =>
  home.DB.prepare("SELECT * FROM billing WHERE account_id = ?1").bind(accountId).first();

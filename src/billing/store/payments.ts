import { Stripe } from "stripe";
import { z } from "zod";
import { SIGNATURE_TOLERANCE_SECONDS } from "../rules/stripe-signature.ts";
import { bestStanding, type Subscription } from "../rules/subscription.ts";
import { standingOfInvoices, type InvoicesStanding } from "../rules/invoices.ts";
import type { BillingSettings } from "../../feature-settings.ts";
import { invoicesOf } from "./stripe-invoices.ts";
import { askedOf, askForOneOf, createCustomer } from "./stripe-customers.ts";
import { asked, failed, isKnownIdentifier, isRefused, isTurnedAway } from "./stripe-failures.ts";

const TIMEOUT_MS = 10_000;
const RETRIES = 1;
/** The largest page that Stripe gives. */
const LARGEST_PAGE = 100;

/** A webhook event: its subject, not its content. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  /** Null if it is not about a customer. */
  readonly customerId: string | null;
  /** True if it has an object. Stripe's thin events, and those of its API v2, have none. */
  readonly hasObject: boolean;
}

/** A customer: its subscription, null if there never was one, and the state of its invoices. */
export interface CustomerState extends InvoicesStanding {
  readonly subscription: Subscription | null;
}

/** Units that a customer used; `at` is epoch milliseconds. */
export interface MeteredUse {
  readonly identifier: string;
  readonly customerId: string;
  readonly units: number;
  readonly at: number;
}

/**
 * The outcome of a report of metered use: Stripe has it; it refuses this report; it takes no reports at present, including
 * this one; or it is unknown, because no answer came.
 */
export type ReportAnswer = "taken" | "refused" | "turned_away" | "unanswered";

/** The object of an event: a customer, or something of a customer's. */
const AboutCustomer = z.union([
  z.object({ object: z.literal("customer"), id: z.string() }).transform(({ id }) => id),
  z
    .object({ customer: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]) })
    .transform(({ customer }) => customer),
]);

const SignedEvent = z.object({
  id: z.string(),
  type: z.string(),
  data: z
    .object({ object: z.looseObject({}) })
    .optional()
    .catch(undefined),
});

/** Reads the body of a webhook; null if it is not an event. */
export function eventIn(body: string): PaymentEvent | null {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return null;
  }
  const event = SignedEvent.safeParse(json).data;
  if (event === undefined) return null;
  const { id, type, data } = event;
  const customerId = AboutCustomer.safeParse(data?.object).data ?? null;
  return { id, type, customerId, hasObject: data !== undefined };
}

/**
 * Stripe, as far as this service uses it. Failures are ServiceErrors payment_provider_failed unless stated otherwise; calls
 * for a customer also fail with CustomerGone and CustomerUnknown.
 */
export class Payments {
  readonly #stripe: Stripe;
  readonly #settings: BillingSettings;
  /** The service's prices, now and before. */
  readonly #prices: ReadonlySet<string>;

  constructor(settings: BillingSettings) {
    const { protocol, hostname, port } = new URL(settings.apiUrl);
    this.#settings = settings;
    this.#prices = new Set([settings.priceId, ...settings.formerPriceIds]);
    this.#stripe = new Stripe(settings.secretKey, {
      host: hostname,
      protocol: protocol === "http:" ? "http" : "https",
      ...(port !== "" && { port }),
      // Looked up at each call: tests replace fetch after the client was created.
      httpClient: Stripe.createFetchHttpClient((input: RequestInfo | URL, init?: RequestInit) =>
        fetch(input, init),
      ),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  }

  /** Creates the customer of an account. Returns its id. */
  createCustomer(accountId: string, email: string, idempotencyKey: string): Promise<string> {
    return createCustomer(this.#stripe, accountId, email, idempotencyKey);
  }

  /** Closes a customer's unpaid checkout pages. A checkout that was paid meanwhile stays paid. */
  async expireCheckouts(customerId: string): Promise<void> {
    for (const { id } of await this.#openCheckouts(customerId)) await this.#expire(id);
  }

  /**
   * Opens a page where a customer subscribes and returns its URL. The price is metered, so there is no quantity. Each call opens
   * a new page (the SDK gives it a key): a repeated answer could lead to a closed page. Of pages opened concurrently only the
   * newest stays open, because a customer could pay two.
   */
  async createCheckout(customerId: string, accountId: string): Promise<string> {
    const { priceId } = this.#settings;
    const created = await this.#askedOf("createCheckout", customerId, () =>
      this.#stripe.checkout.sessions.create({
        mode: "subscription",
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: priceId }],
        success_url: this.#returnUrl("success"),
        cancel_url: this.#returnUrl("canceled"),
      }),
    );
    const [newest = created, ...others] = (await this.#openCheckouts(customerId)).toSorted(
      (a, b) => b.created - a.created || (a.id < b.id ? 1 : -1),
    );
    for (const { id } of others) await this.#expire(id);
    if (newest.url === null) throw new Error("a checkout session without a URL");
    return newest.url;
  }

  /** Opens a page where a customer manages the subscription and its invoices. Returns its URL. */
  async createPortal(customerId: string, idempotencyKey: string): Promise<string> {
    const { url } = await this.#askedOf("createPortal", customerId, () =>
      this.#stripe.billingPortal.sessions.create(
        { customer: customerId, return_url: this.#settings.returnUrl },
        { idempotencyKey },
      ),
    );
    return url;
  }

  /**
   * Returns the customer's current subscription to the service's price; null if there never was one. Ignores subscriptions to
   * other products of the same Stripe account.
   */
  async subscriptionOf(customerId: string): Promise<Subscription | null> {
    const { data } = await this.#askedOf("subscriptionOf", customerId, () =>
      this.#stripe.subscriptions.list({
        customer: customerId,
        status: "all",
        limit: LARGEST_PAGE,
        expand: ["data.latest_invoice"],
      }),
    );
    return bestStanding(data.flatMap((subscription) => toSubscription(subscription, this.#prices) ?? []));
  }

  async stateOf(customerId: string): Promise<CustomerState> {
    // One after the other: a customer that Stripe does not know is reported once.
    const subscription = await this.subscriptionOf(customerId);
    const invoices = await this.#askedOf("invoicesOf", customerId, () =>
      invoicesOf(this.#stripe, customerId, this.#prices),
    );
    return { subscription, ...standingOfInvoices(invoices, Date.now()) };
  }

  /**
   * Checks that our key belongs to the Stripe account with these customers, before their use is reported: Stripe accepts use of
   * unknown customers, and reports the error later and elsewhere.
   * @throws CustomerUnknown if Stripe never had any of them.
   */
  askForOneOf(customerIds: readonly string[]): Promise<void> {
    return askForOneOf(this.#stripe, "reportUse", customerIds);
  }

  /** Reports metered use, in one try. Stripe remembers the identifier for a day and does not count a repetition. Never throws. */
  async reportUse(use: MeteredUse): Promise<ReportAnswer> {
    try {
      await this.#stripe.billing.meterEvents.create(
        {
          event_name: this.#settings.meterEvent,
          identifier: use.identifier,
          timestamp: Math.floor(use.at / 1_000),
          payload: { stripe_customer_id: use.customerId, value: String(use.units) },
        },
        // A refusal is only about this try: Stripe may have accepted an earlier one.
        { maxNetworkRetries: 0 },
      );
      return "taken";
    } catch (error) {
      if (isKnownIdentifier(error)) return "taken";
      failed("reportUse", error, { identifier: use.identifier });
      if (isRefused(error)) return "refused";
      return isTurnedAway(error) ? "turned_away" : "unanswered";
    }
  }

  /** Checks a webhook's signature. @throws any error, if it is wrong or too old. */
  async verifyEvent(body: string, signature: string): Promise<void> {
    const { signature: signatures } = this.#stripe.webhooks;
    if (signatures === null) throw new Error("the Stripe package checks no signatures");
    // Not `constructEventAsync`, which also refuses events that Stripe has signed: the thin ones.
    await signatures.verifyHeaderAsync(
      body,
      signature,
      this.#settings.webhookSecret,
      SIGNATURE_TOLERANCE_SECONDS,
      Stripe.createSubtleCryptoProvider(),
    );
  }

  #askedOf<Answer>(operation: string, customerId: string, ask: () => Promise<Answer>): Promise<Answer> {
    return askedOf(this.#stripe, operation, customerId, ask);
  }

  async #openCheckouts(customerId: string): Promise<Stripe.Checkout.Session[]> {
    const { data } = await this.#askedOf("openCheckouts", customerId, () =>
      this.#stripe.checkout.sessions.list({ customer: customerId, status: "open", limit: LARGEST_PAGE }),
    );
    return data;
  }

  /** Closes a checkout page. Does not change a page that was paid or closed meanwhile. */
  #expire(sessionId: string): Promise<void> {
    return asked("expireCheckout", async () => {
      try {
        await this.#stripe.checkout.sessions.expire(sessionId);
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    });
  }

  /** Returns the URL to which the browser returns; the page there may tell the visitor how the checkout ended. */
  #returnUrl(checkout: "success" | "canceled"): string {
    const url = new URL(this.#settings.returnUrl);
    url.searchParams.set("checkout", checkout);
    return url.href;
  }
}

/** A subscription as we keep it; null if it has none of these prices. */
function toSubscription(subscription: Stripe.Subscription, prices: ReadonlySet<string>): Subscription | null {
  const item = subscription.items.data.find(({ price }) => prices.has(price.id));
  if (item === undefined) return null;
  const invoice = subscription.latest_invoice;
  return {
    id: subscription.id,
    status: subscription.status,
    createdAt: subscription.created * 1_000,
    // The items have the period since API version 2025-03-31.
    currentPeriodEnd: item.current_period_end * 1_000,
    latestInvoiceStatus: invoice === null || typeof invoice === "string" ? null : invoice.status,
  };
}

import { Stripe } from "stripe";
import { z } from "zod";
import { ServiceError } from "../core/errors.ts";
import { log, reasonOf } from "../core/log.ts";
import { bestStanding, type Subscription } from "../core/subscription.ts";
import type { BillingSettings } from "../settings.ts";
import { asked, failed, isKnownIdentifier, isRefused } from "./stripe-failures.ts";

const TIMEOUT_MS = 10_000;
const RETRIES = 1;
const SIGNATURE_TOLERANCE_SECONDS = 300;
/** The largest page that Stripe gives. */
const LARGEST_PAGE = 100;

/** A webhook event: what it is about, not what it says. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  /** Null if it is not about a customer. */
  readonly customerId: string | null;
}

/** Units that a customer used; `at` is epoch milliseconds. */
export interface MeteredUse {
  readonly identifier: string;
  readonly customerId: string;
  readonly units: number;
  readonly at: number;
}

/** The object of an event: a customer, or something of a customer's. */
const AboutCustomer = z.union([
  z.object({ object: z.literal("customer"), id: z.string() }).transform(({ id }) => id),
  z
    .object({ customer: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]) })
    .transform(({ customer }) => customer),
]);

/** Stripe accepts neither an empty address nor a malformed one; an identity provider may give either. */
const Address = z.email();

/** Stripe, as far as this service uses it. A failure is a ServiceError payment_provider_failed unless stated otherwise. */
export class Payments {
  readonly #stripe: Stripe;
  readonly #settings: BillingSettings;

  constructor(settings: BillingSettings) {
    const { protocol, hostname, port } = new URL(settings.apiUrl);
    this.#settings = settings;
    this.#stripe = new Stripe(settings.secretKey, {
      host: hostname,
      protocol: protocol === "http:" ? "http" : "https",
      ...(port !== "" && { port }),
      // Looked up at each call: tests replace fetch after the client was made.
      httpClient: Stripe.createFetchHttpClient((input: RequestInfo | URL, init?: RequestInit) =>
        fetch(input, init),
      ),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  }

  /** Creates the customer of an account, without an address that Stripe would refuse. Returns its id. */
  async createCustomer(accountId: string, email: string, idempotencyKey: string): Promise<string> {
    const address = Address.safeParse(email).data;
    const create = (known: { email?: string }, key: string): Promise<Stripe.Customer> =>
      this.#stripe.customers.create({ ...known, metadata: { accountId } }, { idempotencyKey: key });
    const { id } = await asked("createCustomer", async () => {
      if (address === undefined) return create({}, idempotencyKey);
      try {
        return await create({ email: address }, idempotencyKey);
      } catch (error) {
        if (!(isRefused(error) && error.param === "email")) throw error;
        log("warn", "customer_email_refused", { account: accountId, code: error.code });
        return create({}, `${idempotencyKey}-without-email`);
      }
    });
    return id;
  }

  /** Closes a customer's unpaid checkout pages. A checkout that was paid meanwhile stays paid. */
  async expireCheckouts(customerId: string): Promise<void> {
    await asked("expireCheckouts", async () => {
      const { data } = await this.#stripe.checkout.sessions.list({
        customer: customerId,
        status: "open",
        limit: LARGEST_PAGE,
      });
      for (const { id } of data) {
        try {
          await this.#stripe.checkout.sessions.expire(id);
        } catch (error) {
          if (!isRefused(error)) throw error;
        }
      }
    });
  }

  /**
   * Opens a page where a customer subscribes and returns its URL. The price is metered, so there is no quantity. Each call
   * opens a new page (the SDK gives it a key): a repeated answer could name a page that was closed since.
   */
  async createCheckout(customerId: string, accountId: string): Promise<string> {
    const { priceId } = this.#settings;
    return asked("createCheckout", async () => {
      const { url } = await this.#stripe.checkout.sessions.create({
        mode: "subscription",
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: priceId }],
        success_url: this.#returnUrl("success"),
        cancel_url: this.#returnUrl("cancelled"),
      });
      if (url === null) throw new Error("a checkout session without a URL");
      return url;
    });
  }

  /** Opens a page where a customer manages the subscription and its invoices. Returns its URL. */
  async createPortal(customerId: string, idempotencyKey: string): Promise<string> {
    const { url } = await asked("createPortal", () =>
      this.#stripe.billingPortal.sessions.create(
        { customer: customerId, return_url: this.#settings.returnUrl },
        { idempotencyKey },
      ),
    );
    return url;
  }

  /** The subscription that counts for a customer, as it is now; null if there never was one. */
  async subscriptionOf(customerId: string): Promise<Subscription | null> {
    const { data } = await asked("subscriptionOf", () =>
      this.#stripe.subscriptions.list({
        customer: customerId,
        status: "all",
        limit: LARGEST_PAGE,
        expand: ["data.latest_invoice"],
      }),
    );
    return bestStanding(data.map(toSubscription));
  }

  /**
   * Reports metered use. Stripe remembers the identifier for a day and does not count a repetition.
   * @returns false if Stripe refuses this report. @throws if Stripe can't be reached.
   */
  async reportUse(use: MeteredUse): Promise<boolean> {
    try {
      await this.#stripe.billing.meterEvents.create({
        event_name: this.#settings.meterEvent,
        identifier: use.identifier,
        timestamp: Math.floor(use.at / 1_000),
        payload: { stripe_customer_id: use.customerId, value: String(use.units) },
      });
      return true;
    } catch (error) {
      if (isKnownIdentifier(error)) return true;
      const failure = failed("reportUse", error, { identifier: use.identifier });
      if (isRefused(error)) return false;
      throw failure;
    }
  }

  /** Reads a webhook's body as Stripe signed it. @throws ServiceError invalid_signature if the signature is wrong or too old. */
  async readEvent(body: string, signature: string | undefined): Promise<PaymentEvent> {
    try {
      const event = await this.#stripe.webhooks.constructEventAsync(
        body,
        signature ?? "",
        this.#settings.webhookSecret,
        SIGNATURE_TOLERANCE_SECONDS,
        Stripe.createSubtleCryptoProvider(),
      );
      const about = AboutCustomer.safeParse(event.data.object);
      return { id: event.id, type: event.type, customerId: about.data ?? null };
    } catch (error) {
      log("warn", "webhook_refused", { reason: reasonOf(error) });
      throw new ServiceError("invalid_signature");
    }
  }

  /** Where the browser returns to; the page there may tell the visitor how the checkout ended. */
  #returnUrl(checkout: "success" | "cancelled"): string {
    const url = new URL(this.#settings.returnUrl);
    url.searchParams.set("checkout", checkout);
    return url.href;
  }
}

function toSubscription(subscription: Stripe.Subscription): Subscription {
  const invoice = subscription.latest_invoice;
  // The period stands on the items since API version 2025-03-31; a subscription of this service has one.
  const periodEnd = subscription.items.data[0]?.current_period_end;
  return {
    id: subscription.id,
    status: subscription.status,
    createdAt: subscription.created * 1_000,
    currentPeriodEnd: periodEnd === undefined ? null : periodEnd * 1_000,
    latestInvoiceStatus: invoice === null || typeof invoice === "string" ? null : invoice.status,
  };
}

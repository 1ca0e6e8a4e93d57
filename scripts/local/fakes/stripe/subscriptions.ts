import { invoiceObject, subscriptionObject } from "./objects.ts";
import { newStripeId, nowSeconds, type Invoice, type StripeState, type Subscription } from "./state.ts";

const MONTH_SECONDS = 30 * 86_400;
/** The price of a unit, in cents. */
const CENTS_A_UNIT = 1;

/** A change that a webhook reports. */
export interface Happening {
  readonly type: string;
  readonly object: object;
}

/** The lifecycle of subscriptions. Each method changes the state and returns the events that Stripe would send, in order. */
export class Subscriptions {
  readonly #state: StripeState;
  readonly #priceId: string;

  constructor(state: StripeState, priceId: string) {
    this.#state = state;
    this.#priceId = priceId;
  }

  /** A customer's subscriptions, newest first. */
  of(customer: string): Subscription[] {
    return this.#state.subscriptions.filter((one) => one.customer === customer).toReversed();
  }

  /** The customer's units since the period began. */
  unitsOf(subscription: Subscription): number {
    return this.#state.uses
      .filter((use) => use.customer === subscription.customer && use.timestamp >= subscription.periodStart)
      .reduce((sum, use) => sum + use.units, 0);
  }

  invoiceOf(subscription: Subscription): Invoice {
    const invoice = this.#state.invoices.find(({ id }) => id === subscription.latestInvoice);
    if (invoice === undefined) throw new Error(`no invoice ${subscription.latestInvoice}`);
    return invoice;
  }

  /**
   * Pays at the checkout, which starts the subscription.
   * @param price another price than the service's, for another product of the same Stripe account
   */
  begin(customer: string, price: string | null = null): Happening[] {
    const created = nowSeconds();
    const subscription: Subscription = {
      id: newStripeId("sub"),
      customer,
      status: "active",
      created,
      periodStart: created,
      periodEnd: created,
      canceledAt: null,
      latestInvoice: "",
      price,
    };
    const invoice = this.#bill(subscription, "paid", 0);
    this.#state.subscriptions.push(subscription);
    return this.#events("invoice.paid", invoice, subscription, "created").toReversed();
  }

  /** Ends the period: makes an invoice for its usage, and begins the next one. */
  #bill(subscription: Subscription, status: Invoice["status"], units = this.unitsOf(subscription)): Invoice {
    const created = nowSeconds();
    const invoice: Invoice = {
      id: newStripeId("in"),
      customer: subscription.customer,
      subscription: subscription.id,
      status,
      amount: units * CENTS_A_UNIT,
      units,
      created,
      price: subscription.price,
      processing: false,
    };
    this.#state.invoices.push(invoice);
    subscription.latestInvoice = invoice.id;
    Object.assign(subscription, { periodStart: created, periodEnd: created + MONTH_SECONDS });
    return invoice;
  }

  /** Ends the period, and pays its invoice. */
  renew(subscription: Subscription): Happening[] {
    const invoice = this.#bill(subscription, "paid");
    return this.#events("invoice.paid", invoice, subscription);
  }

  /** Ends the period; the payment of its invoice fails. */
  failPayment(subscription: Subscription): Happening[] {
    const invoice = this.#bill(subscription, "open");
    subscription.status = "past_due";
    return this.#events("invoice.payment_failed", invoice, subscription);
  }

  /** Ends the period, and pays its invoice by a bank debit, which takes days. */
  debit(subscription: Subscription): Happening[] {
    const invoice = this.#bill(subscription, "open");
    invoice.processing = true;
    return this.#events("invoice.updated", invoice, subscription);
  }

  /** Fails a bank debit. */
  failDebit(subscription: Subscription): Happening[] {
    const invoice = this.invoiceOf(subscription);
    invoice.processing = false;
    subscription.status = "past_due";
    return this.#events("invoice.payment_failed", invoice, subscription);
  }

  /** Gives up collecting the invoice. */
  giveUp(subscription: Subscription): Happening[] {
    const invoice = this.invoiceOf(subscription);
    invoice.status = "uncollectible";
    subscription.status = "unpaid";
    return this.#events("invoice.marked_uncollectible", invoice, subscription);
  }

  /** Pays the open invoice. */
  payInvoice(subscription: Subscription): Happening[] {
    const invoice = this.invoiceOf(subscription);
    invoice.status = "paid";
    if (subscription.status !== "canceled") subscription.status = "active";
    return this.#events("invoice.paid", invoice, subscription);
  }

  /** Cancels the subscription with immediate effect. */
  cancel(subscription: Subscription): Happening[] {
    subscription.status = "canceled";
    subscription.canceledAt = nowSeconds();
    return [this.#event("customer.subscription.deleted", subscription)];
  }

  #event(type: string, subscription: Subscription): Happening {
    return { type, object: subscriptionObject(subscription, this.#priceId, null) };
  }

  /** The events of an invoice and of its subscription. */
  #events(type: string, invoice: Invoice, subscription: Subscription, change = "updated"): Happening[] {
    const ofInvoice = { type, object: invoiceObject(invoice, this.#priceId) };
    return [ofInvoice, this.#event(`customer.subscription.${change}`, subscription)];
  }
}

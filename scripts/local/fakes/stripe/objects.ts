import type { Customer, Invoice, Session, Subscription, Use } from "./state.ts";

/** The Stripe API version of the objects below, which is the SDK's. */
const API_VERSION = "2026-10-28.endive";
const CURRENCY = "usd";

/** One page of a list. */
export const listObject = (url: string, data: readonly object[], hasMore = false): object => ({
  object: "list",
  url,
  has_more: hasMore,
  data,
});

export const customerObject = (customer: Customer): object => ({
  id: customer.id,
  object: "customer",
  created: customer.created,
  email: customer.email,
  livemode: false,
  metadata: customer.accountId === null ? {} : { accountId: customer.accountId },
});

/** @param priceId the price, unless the invoice has another */
export const invoiceObject = (invoice: Invoice, priceId: string): object => ({
  id: invoice.id,
  object: "invoice",
  amount_due: invoice.amount,
  amount_paid: invoice.status === "paid" ? invoice.amount : 0,
  amount_remaining: invoice.status === "paid" ? 0 : invoice.amount,
  // The fake tries each payment at once.
  attempted: true,
  collection_method: "charge_automatically",
  created: invoice.created,
  currency: CURRENCY,
  customer: invoice.customer,
  due_date: null,
  lines: listObject(`/v1/invoices/${invoice.id}/lines`, [
    {
      id: invoice.id.replace("in_", "il_"),
      object: "line_item",
      amount: invoice.amount,
      currency: CURRENCY,
      invoice: invoice.id,
      pricing: { type: "price_details", price_details: { price: invoice.price ?? priceId } },
      quantity: invoice.units,
    },
  ]),
  livemode: false,
  metadata: {},
  parent: {
    type: "subscription_details",
    quote_details: null,
    subscription_details: { metadata: {}, subscription: invoice.subscription },
  },
  status: invoice.status,
});

/** Returns the payment of an invoice; with its payment intent if that is expanded. */
export const invoicePaymentObject = (invoice: Invoice, isExpanded: boolean): object => {
  const id = invoice.id.replace("in_", "pi_");
  const status = invoice.processing ? "processing" : "requires_payment_method";
  return {
    id: invoice.id.replace("in_", "inpay_"),
    object: "invoice_payment",
    amount_requested: invoice.amount,
    invoice: invoice.id,
    payment: {
      type: "payment_intent",
      payment_intent: isExpanded ? { id, object: "payment_intent", status } : id,
    },
    status: "open",
  };
};

/**
 * A subscription to one metered price. Its item has the period.
 * @param priceId the price, unless the subscription has another
 * @param invoice the expanded invoice, if requested
 */
export const subscriptionObject = (
  subscription: Subscription,
  priceId: string,
  invoice: Invoice | null,
): object => ({
  id: subscription.id,
  object: "subscription",
  cancel_at_period_end: false,
  canceled_at: subscription.canceledAt,
  collection_method: "charge_automatically",
  created: subscription.created,
  currency: CURRENCY,
  customer: subscription.customer,
  items: listObject(`/v1/subscription_items?subscription=${subscription.id}`, [
    {
      id: subscription.id.replace("sub_", "si_"),
      object: "subscription_item",
      created: subscription.created,
      current_period_end: subscription.periodEnd,
      current_period_start: subscription.periodStart,
      metadata: {},
      price: {
        id: subscription.price ?? priceId,
        object: "price",
        active: true,
        currency: CURRENCY,
        livemode: false,
        recurring: { interval: "month", interval_count: 1, usage_type: "metered" },
        type: "recurring",
      },
      subscription: subscription.id,
    },
  ]),
  latest_invoice: invoice === null ? subscription.latestInvoice : invoiceObject(invoice, priceId),
  livemode: false,
  metadata: {},
  start_date: subscription.created,
  status: subscription.status,
});

/** @param url the URL of its page, which Stripe returns only while the session is open */
export const checkoutSessionObject = (session: Session, url: string): object => ({
  id: session.id,
  object: "checkout.session",
  cancel_url: session.cancelUrl,
  client_reference_id: session.reference,
  created: session.created,
  customer: session.customer,
  livemode: false,
  mode: "subscription",
  payment_status: session.status === "complete" ? "paid" : "unpaid",
  status: session.status,
  success_url: session.successUrl,
  url: session.status === "open" ? url : null,
});

export const portalSessionObject = (session: Session, url: string): object => ({
  id: session.id,
  object: "billing_portal.session",
  created: session.created,
  customer: session.customer,
  livemode: false,
  return_url: session.successUrl,
  url,
});

export const meterEventObject = (use: Use, eventName: string): object => ({
  object: "billing.meter_event",
  created: use.created,
  event_name: eventName,
  identifier: use.identifier,
  livemode: false,
  payload: { stripe_customer_id: use.customer, value: String(use.units) },
  timestamp: use.timestamp,
});

/** An event, the body of a webhook. */
export const eventObject = (id: string, type: string, created: number, object: object): object => ({
  id,
  object: "event",
  api_version: API_VERSION,
  created,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});

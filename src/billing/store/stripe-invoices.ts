import type { Stripe } from "stripe";
import type { Invoice } from "../rules/invoices.ts";

/** The largest page that Stripe gives. */
const LARGEST_PAGE = 100;
/** Maximum number of a customer's newest invoices: eighty years of a monthly subscription. Each page costs a call. */
const MOST_INVOICES = 1_000;

/**
 * Returns a customer's invoices that bill any of these prices, of all its subscriptions, ended ones too. Ignores other products
 * of the same Stripe account.
 * @throws any error of Stripe
 */
export async function invoicesOf(
  stripe: Stripe,
  customerId: string,
  prices: ReadonlySet<string>,
): Promise<Invoice[]> {
  const invoices: Invoice[] = [];
  let seen = 0;
  for await (const invoice of stripe.invoices.list({ customer: customerId, limit: LARGEST_PAGE })) {
    // A graduated price has a line for each tier. Stripe lists the first ten lines with the invoice.
    const own = invoice.lines.data.filter((line) => prices.has(priceOf(line)));
    if (own.length > 0) invoices.push(await toInvoice(stripe, invoice, own));
    seen += 1;
    if (seen === MOST_INVOICES) break;
  }
  return invoices;
}

/** Returns an invoice as we keep it, with the service's lines. */
async function toInvoice(
  stripe: Stripe,
  invoice: Stripe.Invoice,
  own: readonly Stripe.InvoiceLineItem[],
): Promise<Invoice> {
  const isOpen = invoice.status === "open" && invoice.amount_remaining > 0;
  return {
    status: invoice.status,
    amountPaid: invoice.amount_paid,
    amountRemaining: invoice.amount_remaining,
    attempted: invoice.attempted,
    isProcessing: isOpen && (await isProcessing(stripe, invoice.id)),
    dueAt: invoice.due_date === null ? null : invoice.due_date * 1_000,
    units: own.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0),
  };
}

/** Returns the id of the price that a line bills; empty if it bills none. */
function priceOf({ pricing }: Stripe.InvoiceLineItem): string {
  const price = pricing?.price_details?.price ?? "";
  return typeof price === "string" ? price : price.id;
}

/** Returns true if a payment of an invoice is in progress, as a bank debit is for days: it has neither succeeded nor failed. */
async function isProcessing(stripe: Stripe, invoiceId: string): Promise<boolean> {
  // Not with the list of invoices: there it would be expanded by more levels than Stripe allows.
  const { data } = await stripe.invoicePayments.list({
    invoice: invoiceId,
    status: "open",
    limit: LARGEST_PAGE,
    expand: ["data.payment.payment_intent"],
  });
  return data.some(({ payment: { payment_intent: intent } }) =>
    typeof intent === "object" ? intent.status === "processing" : false,
  );
}

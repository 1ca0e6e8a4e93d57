import type { Stripe } from "stripe";
import type { Invoice } from "../../core/billing/invoices.ts";

/** The largest page that Stripe gives: of a monthly subscription, the invoices of eight years. */
const LARGEST_PAGE = 100;

/** A customer's newest invoices, of all its subscriptions. @throws any error of Stripe */
export async function newestInvoices(stripe: Stripe, customerId: string): Promise<Invoice[]> {
  const { data } = await stripe.invoices.list({ customer: customerId, limit: LARGEST_PAGE });
  return data.map((invoice) => ({
    status: invoice.status,
    amountPaid: invoice.amount_paid,
    amountRemaining: invoice.amount_remaining,
    attempted: invoice.attempted,
    dueAt: invoice.due_date === null ? null : invoice.due_date * 1_000,
    // A graduated price has a line for each tier. Stripe lists the first ten lines with the invoice.
    units: invoice.lines.data.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0),
  }));
}

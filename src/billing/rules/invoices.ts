/** An invoice as the payment provider reports it. Amounts are in the currency's smallest unit, times epoch milliseconds. */
export interface Invoice {
  /** Stripe's: draft, open, paid, uncollectible or void. */
  readonly status: string | null;
  readonly amountPaid: number;
  readonly amountRemaining: number;
  /** True if a payment was tried. */
  readonly attempted: boolean;
  /** True if a payment is in progress: it has neither succeeded nor failed. */
  readonly isProcessing: boolean;
  /** Null if it is charged automatically. */
  readonly dueAt: number | null;
  /** The units that it bills. */
  readonly units: number;
}

/** The state of a customer's invoices. */
export interface InvoicesStanding {
  /**
   * True if an invoice is overdue: its payment failed, its due date has passed, or the operator has given it up. An invoice with
   * a payment in progress is not overdue.
   */
  readonly owes: boolean;
  /** The units of the invoices that were paid with money. */
  readonly paidUnits: number;
}

const isOverdue = (
  { status, amountRemaining, attempted, isProcessing, dueAt }: Invoice,
  now: number,
): boolean =>
  amountRemaining > 0 &&
  !isProcessing &&
  (status === "uncollectible" || (status === "open" && (attempted || (dueAt !== null && dueAt <= now))));

/** Returns the state of these invoices at `now` (epoch ms). An invoice of zero, like the first one, proves no payment. */
export function standingOfInvoices(invoices: readonly Invoice[], now: number): InvoicesStanding {
  const paid = invoices.filter(({ status, amountPaid }) => status === "paid" && amountPaid > 0);
  return {
    owes: invoices.some((invoice) => isOverdue(invoice, now)),
    paidUnits: paid.reduce((sum, { units }) => sum + units, 0),
  };
}

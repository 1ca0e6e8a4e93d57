/** A subscription as the payment provider reports it. Times are epoch milliseconds. */
export interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly createdAt: number;
  readonly currentPeriodEnd: number | null;
  readonly latestInvoiceStatus: string | null;
}

/** The statuses that affect access, the most permissive first. */
const BEST_FIRST = ["active", "trialing", "past_due", "unpaid"];

const rankOf = (subscription: Subscription): number => {
  const rank = BEST_FIRST.indexOf(subscription.status);
  return rank === -1 ? BEST_FIRST.length : rank;
};

/** The subscription that counts for a customer with several: the one in best standing, then the newest. */
export const bestStanding = (subscriptions: readonly Subscription[]): Subscription | null =>
  subscriptions.toSorted((a, b) => rankOf(a) - rankOf(b) || b.createdAt - a.createdAt)[0] ?? null;

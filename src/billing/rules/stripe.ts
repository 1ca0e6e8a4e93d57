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

/** How far the time of a webhook's signature may be from ours, seconds; the default of Stripe's libraries. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Several secrets may be valid while one is rotated, and each has a signature of 64 digits. */
const MAX_HEADER_LENGTH = 2_048;

/**
 * Why a Stripe-Signature header is invalid whatever the body is: "malformed" (also if it is absent) or "stale". Null if
 * that depends on the body. The header is `t=<epoch seconds>,v1=<HMAC-SHA256, hex>`, possibly with further signatures
 * (https://docs.stripe.com/webhooks#verify-manually).
 * @param now epoch milliseconds
 */
export function signatureProblem(header: string | undefined, now: number): "malformed" | "stale" | null {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return "malformed";
  const parts = header.split(",");
  const times = parts.filter((part) => part.startsWith("t="));
  const seconds = /^t=(\d{1,12})$/.exec(times[0] ?? "")?.[1];
  const isSigned = parts.some((part) => /^v1=[0-9a-f]{64}$/.test(part));
  if (seconds === undefined || times.length > 1 || !isSigned) return "malformed";
  const distance = Math.abs(Math.floor(now / 1_000) - Number(seconds));
  return distance > SIGNATURE_TOLERANCE_SECONDS ? "stale" : null;
}

/**
 * For how long after its first try an event may be sent again, in milliseconds. Stripe remembers an identifier for
 * 24 hours: an event sent later could be counted twice.
 */
export const RESENT_WITHIN_MS = 20 * 3_600_000;

/** How old the use in an event that was never tried may be, in milliseconds. Stripe accepts timestamps of the last 35 days. */
export const SENT_WITHIN_MS = 34 * 86_400_000;

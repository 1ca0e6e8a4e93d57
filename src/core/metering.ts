/**
 * How long an event that was tried once may be sent again, from its first try on, in milliseconds. Stripe knows an
 * identifier for 24 hours: one sent later could be counted twice.
 */
export const RESENT_WITHIN_MS = 20 * 3_600_000;

/** How old the use of an event that was never tried may be, in milliseconds. Stripe takes timestamps of the last 35 days. */
export const SENT_WITHIN_MS = 34 * 86_400_000;

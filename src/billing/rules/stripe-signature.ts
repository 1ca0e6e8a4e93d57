/** Tolerance between the time of a webhook's signature and ours, in seconds; the default of Stripe's libraries. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Several secrets may be valid while one is rotated, and each has a signature of 64 digits. */
const MAX_HEADER_LENGTH = 2_048;

/**
 * Returns why a Stripe-Signature header is invalid for any body: "malformed" (also if absent) or "stale". Null if that depends on
 * the body. The header is `t=<epoch seconds>,v1=<HMAC-SHA256, hex>`, possibly with further signatures
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

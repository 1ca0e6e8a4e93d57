import { createHmac, timingSafeEqual } from "node:crypto";

/** By how much the clocks of sender and receiver may differ, and how old a request may be. */
const TOLERANCE_SECONDS = 300;

export interface SignedRequest {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Why a request does not come from who knows the secret; undefined if it does (Standard Webhooks, "Verifying webhook
 * authenticity"). @param secret `whsec_` and base64 @param now epoch milliseconds
 */
export function whyForged(secret: string, { headers, body }: SignedRequest, now: number): string | undefined {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? ""),
  );
  if (!id || !timestamp || !signatures) return "it is not signed";
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return "its signature is too old";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isGood = signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGood ? undefined : "its signature is wrong";
}

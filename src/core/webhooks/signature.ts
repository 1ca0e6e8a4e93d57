const PREFIX = "whsec_";
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** A new secret of an endpoint, as the Standard Webhooks specification writes it: `whsec_` and base64 of random bytes. */
export const newWebhookSecret = (): string =>
  PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

async function signature(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.slice(PREFIX.length)), algorithm, false, [
    "sign",
  ]);
  return `v1,${base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`;
}

/**
 * The headers that prove who sent an event (https://www.standardwebhooks.com): `webhook-signature` has for each secret `v1,` and
 * base64 of the HMAC-SHA256 of `<id>.<seconds>.<body>`, separated by spaces.
 * @param now epoch milliseconds: when the attempt begins
 */
export async function signedHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  now: number,
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const seconds = String(Math.floor(now / 1_000));
  const signed = new Uint8Array(new TextEncoder().encode(`${id}.${seconds}.${body}`));
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, signed)));
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

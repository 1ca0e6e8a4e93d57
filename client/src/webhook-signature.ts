import type { components } from "./contract.ts";
import { invalidInput } from "./errors.ts";
import { headerReader, type WebhookHeaders } from "./webhook-headers.ts";

/** Event for a webhook endpoint: `type` decides the shape of `data`. */
export type WebhookEvent = components["schemas"]["WebhookEvent"];

/** The largest difference between the clocks of sender and receiver, and the largest age of a request. */
const TOLERANCE_SECONDS = 300;

/** @throws DOMException if the text is not base64 */
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * The reason why a request is not signed with the secret; undefined if it is (Standard Webhooks, "Verifying webhook
 * authenticity").
 * @param now epoch milliseconds
 * @throws SegmentationError `invalid_input` if the secret is none
 */
export async function whyForged(
  body: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now: number,
): Promise<string | undefined> {
  const key = keyOf(secret);
  const header = headerReader(headers);
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    header(`webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) return "it is not signed";
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return "its signature is too old";
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const verifying = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await isOf(verifying, value, signed))) return undefined;
  }
  return "its signature is wrong";
}

/** The key in a secret, which may come from a file with a line's end. @throws SegmentationError `invalid_input` */
function keyOf(secret: unknown) {
  try {
    const key = typeof secret === "string" ? bytesOf(secret.trim().replace(/^whsec_/, "")) : [];
    if (key.length > 0) return Uint8Array.from(key);
  } catch {
    // The platform's error would not say which text is meant.
  }
  const what = typeof secret === "string" && secret.trim() !== "" ? "is not one" : "is missing";
  throw invalidInput(`The webhook's secret ${what}: it looks like whsec_… in base64.`);
}

/** The platforms' types have different names for it. */
type VerifyingKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** True if a signature is the key's; in constant time. */
async function isOf(key: VerifyingKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify("HMAC", key, bytesOf(signature), signed);
  } catch {
    return false;
  }
}

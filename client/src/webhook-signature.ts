import type { components } from "./contract.ts";
import { invalidInput } from "./errors.ts";

/** What the service sends to a webhook endpoint: `type` says what `data` is. */
export type WebhookEvent = components["schemas"]["WebhookEvent"];

/** The headers of a request: as `fetch` or as Node's `http` has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** By how much the clocks of sender and receiver may differ, and how old a request may be. */
const TOLERANCE_SECONDS = 300;

/** A header whatever the case of its name. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const [, value = ""] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value);
}

/** @throws DOMException if the text is not base64 */
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * Why a request is not signed with the secret; undefined if it is (Standard Webhooks, "Verifying webhook authenticity").
 * @param now epoch milliseconds
 * @throws SegmentationError `invalid_input` if the secret is none
 */
export async function whyForged(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now: number,
): Promise<string | undefined> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) return "it is not signed";
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return "its signature is too old";
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyOf(secret), algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await isOf(key, value, signed))) return undefined;
  }
  return "its signature is wrong";
}

/** The key in a secret. @throws SegmentationError `invalid_input` */
function keyOf(secret: string) {
  try {
    const key = bytesOf(secret.replace(/^whsec_/, ""));
    if (key.length > 0) return key;
  } catch {
    // The platform's error would not say which text is meant.
  }
  throw invalidInput("The webhook's secret is not one: it looks like whsec_… in base64.");
}

/** The platforms' types have different names for it. */
type VerifyingKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Whether a signature is the key's; in constant time. */
async function isOf(key: VerifyingKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify("HMAC", key, bytesOf(signature), signed);
  } catch {
    return false;
  }
}

import { z } from "zod";
import type { Secrets as ServiceSecrets } from "../../shared/keys.ts";
import { seal, unseal } from "../../shared/sealed.ts";

/** Time for which a replaced secret keeps signing, in milliseconds. */
export const OLD_SECRET_MS = 24 * 3_600_000;
/** Maximum number of secrets that sign: each adds a signature to the header of every request. */
export const MOST_SECRETS = 5;

/** A secret of an endpoint. `validUntil` is epoch milliseconds; null for the current one. */
const WebhookSecret = z.object({ secret: z.string(), validUntil: z.number().nullable() });
export type WebhookSecret = z.infer<typeof WebhookSecret>;
const Secrets = z.array(WebhookSecret).readonly();

/** The secrets that sign at `now`, the current one first. */
export const validSecrets = (secrets: readonly WebhookSecret[], now: number): readonly WebhookSecret[] =>
  secrets.filter(({ validUntil }) => validUntil === null || validUntil > now);

/** The secrets after a rotation: the previous ones keep signing for 24 hours. Null if there are too many. */
export function rotated(
  secrets: readonly WebhookSecret[],
  fresh: string,
  now: number,
): readonly WebhookSecret[] | null {
  const valid = validSecrets(secrets, now);
  if (valid.length >= MOST_SECRETS) return null;
  const old = valid.map(({ secret, validUntil }) => ({
    secret,
    validUntil: validUntil ?? now + OLD_SECRET_MS,
  }));
  return [{ secret: fresh, validUntil: null }, ...old];
}

const purposeOf = (endpointId: string): string => JSON.stringify(["webhook secrets", endpointId]);

/** An endpoint's secrets, encrypted for storage. */
export const sealSecrets = (
  service: ServiceSecrets,
  endpointId: string,
  secrets: readonly WebhookSecret[],
): Promise<string> => seal(service, purposeOf(endpointId), JSON.stringify(secrets));

/** The secrets that were sealed for this endpoint; null if none of the service's secrets sealed them. */
export async function unsealSecrets(
  service: ServiceSecrets,
  endpointId: string,
  sealed: string,
): Promise<readonly WebhookSecret[] | null> {
  const text = await unseal(service, purposeOf(endpointId), sealed);
  return text === null ? null : Secrets.parse(JSON.parse(text));
}

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
 * Returns the headers that authenticate an event (https://www.standardwebhooks.com): for each secret, `webhook-signature` has
 * `v1,` and the base64 HMAC-SHA256 of `<id>.<seconds>.<body>`, separated by spaces.
 * @param now epoch milliseconds: the start of the attempt
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

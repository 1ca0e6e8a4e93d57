import { z } from "zod";
import { seal, unseal } from "../lib/sealed.ts";

/** For how long a secret that was rotated away still signs, milliseconds. */
export const OLD_SECRET_MS = 24 * 3_600_000;
/** How many secrets sign at a time at most: each is a signature in the header of every request. */
export const MOST_SECRETS = 5;

/** A secret of an endpoint. `validUntil` is epoch milliseconds; null for the one in use. */
const WebhookSecret = z.object({ secret: z.string(), validUntil: z.number().nullable() });
export type WebhookSecret = z.infer<typeof WebhookSecret>;
const Secrets = z.array(WebhookSecret).readonly();

/** The secrets that sign at `now`, the one in use first. */
export const validSecrets = (secrets: readonly WebhookSecret[], now: number): readonly WebhookSecret[] =>
  secrets.filter(({ validUntil }) => validUntil === null || validUntil > now);

/** The secrets with a fresh one in use: those before it sign for a day more. Null if too many do. */
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
  signingSecret: string,
  endpointId: string,
  secrets: readonly WebhookSecret[],
): Promise<string> => seal(signingSecret, purposeOf(endpointId), JSON.stringify(secrets));

/** The secrets that were sealed for this endpoint; null if the service's signing secret was another one then. */
export async function unsealSecrets(
  signingSecret: string,
  endpointId: string,
  sealed: string,
): Promise<readonly WebhookSecret[] | null> {
  const text = await unseal(signingSecret, purposeOf(endpointId), sealed);
  return text === null ? null : Secrets.parse(JSON.parse(text));
}

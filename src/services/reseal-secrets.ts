import type { ResealAnswer } from "../contract/operator.ts";
import { resealed } from "../core/webhooks/signing.ts";
import type { Platform } from "../platform.ts";
import { secretsOf } from "../settings.ts";
import { HELD_MS } from "./dispatch-task.ts";

/** The secrets that only read. */
const EARLIER = ["MASTER_SECRET_PREVIOUS", "SIGNING_SECRET"] as const;
/** Endpoints in a run: each costs some cryptography, and those that change a statement. */
const PAGE = 100;

/**
 * Seals the webhook endpoints' secrets by the current secret, of one page of endpoints, from behind the id `after`. What the current
 * one has sealed stays as it is, and so does what nobody can open: its endpoint is named. All else that is sealed or signed
 * ends by itself.
 */
export async function resealSecrets(
  { settings, policy, webhookEndpoints }: Platform,
  after: string,
): Promise<ResealAnswer> {
  const secrets = secretsOf(settings);
  const page = await webhookEndpoints.allSealedSecrets(after, PAGE);
  const unreadable: string[] = [];
  const changed: { endpointId: string; before: string; sealed: string }[] = [];
  for (const { endpointId, sealed: before } of page) {
    const sealed = await resealed(secrets, endpointId, before);
    if (sealed === "unreadable") unreadable.push(endpointId);
    else if (sealed !== null) changed.push({ endpointId, before, sealed });
  }
  await webhookEndpoints.reseal(changed);
  return {
    looked: page.length,
    resealed: changed.length,
    unreadable,
    next: page.length < PAGE ? null : (page.at(-1)?.endpointId ?? null),
    earlier: EARLIER.filter((name) => settings[name] !== undefined),
    signedMs: policy.leaseMs + HELD_MS,
  };
}

import type { ResealAnswer } from "../contract/operator.ts";
import { isSealedByCurrent } from "../core/lib/sealed.ts";
import { sealSecrets, unsealSecrets } from "../core/webhooks/signing.ts";
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
    const opened = await unsealSecrets(secrets, endpointId, before);
    if (opened === null) unreadable.push(endpointId);
    else if (!(await isSealedByCurrent(secrets, before)))
      changed.push({ endpointId, before, sealed: await sealSecrets(secrets, endpointId, opened) });
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

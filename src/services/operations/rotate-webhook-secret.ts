import type { RotatedWebhookSecret } from "../../contract/webhook.ts";
import { ServiceError } from "../../core/errors.ts";
import { rotated, sealSecrets, unsealSecrets, newWebhookSecret } from "../../core/webhooks/signing.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { requireEndpoint } from "../endpoint-of.ts";
import { endpointView } from "../webhook-views.ts";

/**
 * rotateWebhookSecret: the new secret signs from now on, and those before it for a day more. Of two requests at once the second
 * rotates the first one's secret.
 * @throws ServiceError webhook_endpoint_not_found, too_many_secrets.
 */
export async function rotateWebhookSecret(
  { settings, webhookEndpoints }: Platform,
  { accountId }: Account,
  endpointId: string,
): Promise<RotatedWebhookSecret> {
  for (;;) {
    const before = requireEndpoint(await webhookEndpoints.sealedSecrets(accountId, endpointId));
    // Secrets that the service can no longer read sign nothing: there is none to keep.
    const secrets = (await unsealSecrets(settings.SIGNING_SECRET, endpointId, before)) ?? [];
    const secret = newWebhookSecret();
    const now = Date.now();
    const next = rotated(secrets, secret, now);
    if (next === null) throw new ServiceError("too_many_secrets");
    const after = await sealSecrets(settings.SIGNING_SECRET, endpointId, next);
    const endpoint = await webhookEndpoints.replaceSecrets(accountId, endpointId, { before, after }, now);
    if (endpoint !== null) return { endpoint: endpointView(endpoint), secret };
  }
}

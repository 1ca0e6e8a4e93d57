import { CreatedWebhookEndpoint, type CreateWebhookEndpointRequest } from "../../contract/webhook.ts";
import { ServiceError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { publicUrlRefusal } from "../../core/lib/public-url.ts";
import { endpointRefusal } from "../../core/webhooks/endpoint.ts";
import { sealSecrets, newWebhookSecret } from "../../core/webhooks/signing.ts";
import type { Platform } from "../../platform.ts";
import { publicUrlTermsOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { once, type Once, type Outcome } from "../idempotency.ts";
import { endpointView } from "../webhook-views.ts";

/**
 * createWebhookEndpoint. Only the first answer has the secret; a repetition shows what may be shown of the endpoint.
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, url_forbidden, too_many_webhook_endpoints.
 */
export const createWebhookEndpoint = (
  platform: Platform,
  { accountId }: Account,
  request: CreateWebhookEndpointRequest,
  idempotencyKey: string | undefined,
): Promise<Once<CreatedWebhookEndpoint>> =>
  once(
    platform,
    { accountId, operation: "createWebhookEndpoint", key: idempotencyKey, body: request },
    () => newId("whe"),
    CreatedWebhookEndpoint,
    (endpointId) => makeEndpoint(platform, accountId, endpointId, request),
  );

async function makeEndpoint(
  { settings, webhookEndpoints }: Platform,
  accountId: string,
  endpointId: string,
  { url, events = null, description = null }: CreateWebhookEndpointRequest,
): Promise<Outcome<CreatedWebhookEndpoint>> {
  const refusal = publicUrlRefusal(url, publicUrlTermsOf(settings));
  if (refusal !== null) throw refusal;
  const secret = newWebhookSecret();
  const sealed = await sealSecrets(settings.SIGNING_SECRET, endpointId, [{ secret, validUntil: null }]);
  const now = Date.now();
  const changed = { disabledAt: null, disabledReason: null, createdAt: now, updatedAt: now };
  const isMade = await webhookEndpoints.insert(
    accountId,
    { endpointId, url, events, description, ...changed },
    sealed,
  );
  const made = await webhookEndpoints.find(accountId, endpointId);
  if (made === null) {
    const full = endpointRefusal(await webhookEndpoints.use(accountId));
    throw full ?? new ServiceError("too_many_webhook_endpoints");
  }
  const endpoint = endpointView(made);
  const remembered = { endpoint, secretUnavailable: true };
  // An earlier run that made the endpoint and was cut off has taken the secret with it.
  return { answer: isMade ? { endpoint, secret, secretUnavailable: false } : remembered, remembered };
}

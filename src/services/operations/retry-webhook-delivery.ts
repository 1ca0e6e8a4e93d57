import type { WebhookDelivery } from "../../contract/webhook.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { enabledEndpointOf } from "../endpoint-of.ts";
import { deliveryView } from "../webhook-views.ts";

/**
 * retryWebhookDelivery: one attempt now, however the delivery stands.
 * @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled, webhook_delivery_not_found, too_many_attempts.
 */
export async function retryWebhookDelivery(
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  await enabledEndpointOf(platform, accountId, endpointId);
  const delivery = await platform.webhookObject(endpointId).retry(deliveryId);
  if (delivery === null) throw new ServiceError("webhook_delivery_not_found");
  if (delivery === "too_many_attempts") throw new ServiceError("too_many_attempts");
  return deliveryView(delivery);
}

import type { WebhookDelivery, WebhookEvent } from "../../contract/webhook.ts";
import { newId } from "../../core/ids.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { enabledEndpointOf, requireEndpoint } from "../endpoint-of.ts";
import { deliveryView } from "../webhook-views.ts";

/**
 * testWebhookEndpoint: an event of the type `test`, whatever types the endpoint wants.
 * @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled.
 */
export async function testWebhookEndpoint(
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
): Promise<WebhookDelivery> {
  await enabledEndpointOf(platform, accountId, endpointId);
  const at = Date.now();
  const event: WebhookEvent = { type: "test", timestamp: new Date(at).toISOString(), data: { endpointId } };
  const outgoing = { id: newId("evt"), type: event.type, at, body: JSON.stringify(event) };
  return deliveryView(
    requireEndpoint(await platform.webhookObject(endpointId).receive(endpointId, outgoing)),
  );
}

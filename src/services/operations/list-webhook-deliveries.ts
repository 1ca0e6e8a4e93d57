import type { ListWebhookDeliveriesQuery, WebhookDeliveryList } from "../../contract/webhook.ts";
import { decodeCursor, encodeCursor } from "../../core/lib/signed-token.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { endpointOf } from "../endpoint-of.ts";
import { deliveryView } from "../webhook-views.ts";

/**
 * listWebhookDeliveries: one page, newest first; a cursor names its last delivery.
 * @throws ServiceError webhook_endpoint_not_found, invalid_cursor.
 */
export async function listWebhookDeliveries(
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
  { limit, nextToken }: ListWebhookDeliveriesQuery,
): Promise<WebhookDeliveryList> {
  const secret = platform.settings.SIGNING_SECRET;
  const list = [accountId, "webhook deliveries", endpointId];
  await endpointOf(platform, accountId, endpointId);
  const before = nextToken === undefined ? null : await decodeCursor(secret, list, nextToken);
  if (nextToken !== undefined && before === null) throw new ServiceError("invalid_cursor");

  // One more than requested tells whether there is another page.
  const from = before === null ? null : Number(before);
  const deliveries = await platform.webhookObject(endpointId).deliveries(from, limit + 1);
  const page = deliveries.slice(0, limit);
  const last = page.at(-1);
  const more = deliveries.length > page.length && last !== undefined;
  return {
    items: page.map(deliveryView),
    nextToken: more ? await encodeCursor(secret, list, String(last.number)) : null,
  };
}

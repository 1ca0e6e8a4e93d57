import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { requireEndpoint } from "../endpoint-of.ts";
import { eraseEndpoint } from "../erase-endpoints.ts";

/**
 * deleteWebhookEndpoint: nothing is sent any more, and its deliveries are gone. If its object can't be told now, the hourly sweep
 * erases it.
 * @throws ServiceError webhook_endpoint_not_found.
 */
export async function deleteWebhookEndpoint(
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
): Promise<void> {
  const isMarked = await platform.webhookEndpoints.markDeleted(accountId, endpointId, Date.now());
  requireEndpoint(isMarked ? endpointId : null);
  await eraseEndpoint(platform, endpointId);
}

import type { WebhookEndpointList } from "../../contract/webhook.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { endpointView } from "../webhook-views.ts";

/** listWebhookEndpoints: newest first. */
export async function listWebhookEndpoints(
  platform: Platform,
  { accountId }: Account,
): Promise<WebhookEndpointList> {
  const endpoints = await platform.webhookEndpoints.list(accountId);
  return { items: endpoints.map(endpointView) };
}

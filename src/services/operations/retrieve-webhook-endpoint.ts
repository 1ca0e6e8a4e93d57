import type { WebhookEndpoint } from "../../contract/webhook.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { endpointOf } from "../endpoint-of.ts";
import { endpointView } from "../webhook-views.ts";

/** retrieveWebhookEndpoint. @throws ServiceError webhook_endpoint_not_found. */
export const retrieveWebhookEndpoint = async (
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
): Promise<WebhookEndpoint> => endpointView(await endpointOf(platform, accountId, endpointId));

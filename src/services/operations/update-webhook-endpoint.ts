import type { UpdateWebhookEndpointRequest, WebhookEndpoint } from "../../contract/webhook.ts";
import { log, reasonOf } from "../../core/log.ts";
import { publicUrlRefusal } from "../../core/lib/public-url.ts";
import type { Platform } from "../../platform.ts";
import { publicUrlTermsOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { requireEndpoint } from "../endpoint-of.ts";
import { endpointView } from "../webhook-views.ts";

/** updateWebhookEndpoint. @throws ServiceError url_forbidden, webhook_endpoint_not_found. */
export async function updateWebhookEndpoint(
  platform: Platform,
  { accountId }: Account,
  endpointId: string,
  change: UpdateWebhookEndpointRequest,
): Promise<WebhookEndpoint> {
  const terms = publicUrlTermsOf(platform.settings);
  const refusal = change.url === undefined ? null : publicUrlRefusal(change.url, terms);
  if (refusal !== null) throw refusal;
  const changed = await platform.webhookEndpoints.update(accountId, endpointId, change, Date.now());
  const endpoint = endpointView(requireEndpoint(changed));
  if (change.disabled === false) await resume(platform, endpointId);
  return endpoint;
}

/** What waits goes on. If the object can't be told now, it goes on with the next event. */
async function resume(platform: Platform, endpointId: string): Promise<void> {
  try {
    await platform.webhookObject(endpointId).resume();
  } catch (error) {
    log("warn", "webhook_delayed", { endpointId, reason: reasonOf(error) });
  }
}

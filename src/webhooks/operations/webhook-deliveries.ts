import { WebhookEvent, type WebhookDelivery, type WebhookDeliveryList } from "../contract/webhook.ts";
import { isoOf, isoOrNull } from "../../shared/api/primitives.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { MOST_TESTS_PER_HOUR } from "../rules/endpoint.ts";
import type { DeliveryRecord } from "../store/rpc.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { pageOf } from "../../shared/api/page.ts";
import { existing } from "./webhook-endpoints.ts";

const HOUR_MS = 3_600_000;

/** A delivery as the API shows it. */
const deliveryView = ({ id, body, outcome, dueAt, attempts }: DeliveryRecord): WebhookDelivery => ({
  deliveryId: id,
  status: outcome ?? "pending",
  event: WebhookEvent.parse(JSON.parse(body)),
  nextAttemptAt: isoOrNull(dueAt),
  attempts: attempts.map(({ at, end }) => ({
    attemptedAt: isoOf(at),
    status: end?.status ?? null,
    milliseconds: end?.ms ?? null,
    error: end?.error ?? null,
  })),
});

/** Refuses a missing or disabled endpoint. @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled. */
async function requireEnabled({
  platform,
  account,
  endpointId,
}: OperationRequest<"testWebhookEndpoint">): Promise<void> {
  const endpoint = existing(await platform.webhookEndpoints.find(account.accountId, endpointId));
  if (endpoint.disabledAt !== null) throw new ServiceError("webhook_endpoint_disabled");
}

/**
 * listWebhookDeliveries: one page, newest first; a cursor names its last delivery.
 * @throws ServiceError webhook_endpoint_not_found, invalid_cursor.
 */
export async function listWebhookDeliveries({
  platform,
  account: { accountId },
  endpointId,
  query,
}: OperationRequest<"listWebhookDeliveries">): Promise<WebhookDeliveryList> {
  existing(await platform.webhookEndpoints.find(accountId, endpointId));
  const object = platform.webhookObject(endpointId);
  const { items, nextToken } = await pageOf(
    platform,
    [accountId, "webhook deliveries", endpointId],
    query,
    async (before, limit) => object.deliveries(before === null ? null : Number(before), limit),
    ({ number }) => String(number),
  );
  return { items: items.map(deliveryView), nextToken };
}

/**
 * retryWebhookDelivery: one attempt now, in any status of the delivery.
 * @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled, webhook_delivery_not_found, too_many_attempts.
 */
export async function retryWebhookDelivery(
  request: OperationRequest<"retryWebhookDelivery">,
): Promise<WebhookDelivery> {
  await requireEnabled(request);
  const { platform, endpointId, deliveryId } = request;
  const delivery = await platform.webhookObject(endpointId).retry(deliveryId);
  if (delivery === null) throw new ServiceError("webhook_delivery_not_found");
  if (delivery === "too_many_attempts") throw new ServiceError("too_many_attempts");
  return deliveryView(delivery);
}

/**
 * testWebhookEndpoint: an event of the type `test`, for any subscription of the endpoint.
 * @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled, rate_limited.
 */
export async function testWebhookEndpoint(
  request: OperationRequest<"testWebhookEndpoint">,
): Promise<WebhookDelivery> {
  await requireEnabled(request);
  const { platform, account, endpointId } = request;
  const object = platform.webhookObject(endpointId);
  const at = Date.now();
  const hour = Math.floor(at / HOUR_MS);
  if (!(await platform.webhookEndpoints.countTest(account.accountId, hour, MOST_TESTS_PER_HOUR))) {
    throw new ServiceError(
      "rate_limited",
      `This account has requested ${MOST_TESTS_PER_HOUR} tests of webhook endpoints within the hour. ${TRY_AGAIN}.`,
      { retryAfterSeconds: Math.ceil(((hour + 1) * HOUR_MS - at) / 1_000) },
    );
  }
  const event: WebhookEvent = { type: "test", timestamp: isoOf(at), data: { endpointId } };
  const outgoing = { id: newId("evt"), type: event.type, at, body: JSON.stringify(event) };
  return deliveryView(existing(await object.receive(endpointId, outgoing, platform.database)));
}

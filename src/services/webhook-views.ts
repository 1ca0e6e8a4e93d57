import { WebhookEvent, type WebhookDelivery, type WebhookEndpoint } from "../contract/webhook.ts";
import type { EndpointRecord } from "../stores/webhooks/endpoints.ts";
import type { DeliveryRecord } from "../stores/webhooks/rpc.ts";

const iso = (time: number): string => new Date(time).toISOString();

/** A webhook endpoint as the API shows it. */
export const endpointView = (endpoint: EndpointRecord): WebhookEndpoint => ({
  endpointId: endpoint.endpointId,
  url: endpoint.url,
  events: endpoint.events === null ? null : [...endpoint.events],
  description: endpoint.description,
  disabled: endpoint.disabledAt !== null,
  disabledReason: endpoint.disabledReason,
  disabledAt: endpoint.disabledAt === null ? null : iso(endpoint.disabledAt),
  createdAt: iso(endpoint.createdAt),
  updatedAt: iso(endpoint.updatedAt),
});

/** A delivery as the API shows it. */
export const deliveryView = ({ id, body, outcome, dueAt, attempts }: DeliveryRecord): WebhookDelivery => ({
  deliveryId: id,
  status: outcome ?? "pending",
  event: WebhookEvent.parse(JSON.parse(body)),
  nextAttemptAt: dueAt === null ? null : iso(dueAt),
  attempts: attempts.map(({ at, end }) => ({
    attemptedAt: iso(at),
    status: end?.status ?? null,
    milliseconds: end?.ms ?? null,
    error: end?.error ?? null,
  })),
});

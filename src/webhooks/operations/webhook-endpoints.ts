import {
  CreatedWebhookEndpoint,
  type CreateWebhookEndpointRequest,
  type RotatedWebhookSecret,
  type WebhookEndpoint,
  type WebhookEndpointList,
} from "../contract/webhook.ts";
import { isoOf, isoOrNull } from "../../shared/api/primitives.ts";
import { ServiceError } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { publicUrlRefusal } from "../../shared/public-url.ts";
import { endpointRefusal } from "../rules/endpoint.ts";
import { newWebhookSecret, rotated, sealSecrets, unsealSecrets } from "../rules/signing.ts";
import type { Platform } from "../../platform.ts";
import { publicUrlTermsOf, secretsOf } from "../../feature-settings.ts";
import type { EndpointRecord } from "../store/endpoints.ts";
import { eraseEndpoint } from "./erase-endpoints.ts";
import { once, type Once, type Outcome } from "../../shared/api/idempotency.ts";
import type { OperationRequest } from "../../operation-request.ts";

/** A webhook endpoint as the API shows it. */
const endpointView = (endpoint: EndpointRecord): WebhookEndpoint => ({
  endpointId: endpoint.endpointId,
  url: endpoint.url,
  events: endpoint.events === null ? null : [...endpoint.events],
  description: endpoint.description,
  disabled: endpoint.disabledAt !== null,
  disabledReason: endpoint.disabledReason,
  disabledAt: isoOrNull(endpoint.disabledAt),
  createdAt: isoOf(endpoint.createdAt),
  updatedAt: isoOf(endpoint.updatedAt),
});

/** Returns an endpoint from the database. @throws ServiceError webhook_endpoint_not_found if it is null. */
export function existing<T>(endpoint: T | null): T {
  if (endpoint === null) throw new ServiceError("webhook_endpoint_not_found");
  return endpoint;
}

/** Refuses a URL to which the service must not send. @throws ServiceError url_forbidden. */
function checkUrl({ settings }: Platform, url: string): void {
  const refusal = publicUrlRefusal(url, publicUrlTermsOf(settings));
  if (refusal !== null) throw refusal;
}

/** listWebhookEndpoints: newest first. */
export async function listWebhookEndpoints({
  platform,
  account,
}: OperationRequest<"listWebhookEndpoints">): Promise<WebhookEndpointList> {
  const endpoints = await platform.webhookEndpoints.list(account.accountId);
  return { items: endpoints.map(endpointView) };
}

/**
 * createWebhookEndpoint. Only the first answer has the secret; a repeated request returns the endpoint without it.
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, url_forbidden, too_many_webhook_endpoints.
 */
export const createWebhookEndpoint = ({
  platform,
  account: { accountId },
  body,
  idempotencyKey: key,
}: OperationRequest<"createWebhookEndpoint">): Promise<Once<CreatedWebhookEndpoint>> =>
  once(
    platform,
    { accountId, operation: "createWebhookEndpoint", key, body },
    () => newId("whe"),
    CreatedWebhookEndpoint,
    (endpointId) => makeEndpoint(platform, accountId, endpointId, body),
  );

async function makeEndpoint(
  platform: Platform,
  accountId: string,
  endpointId: string,
  { url, events = null, description = null }: CreateWebhookEndpointRequest,
): Promise<Outcome<CreatedWebhookEndpoint>> {
  const { settings, webhookEndpoints } = platform;
  checkUrl(platform, url);
  const secret = newWebhookSecret();
  const sealed = await sealSecrets(secretsOf(settings), endpointId, [{ secret, validUntil: null }]);
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
  // An earlier run made the endpoint and was interrupted: its secret is lost.
  return { answer: isMade ? { endpoint, secret, secretUnavailable: false } : remembered, remembered };
}

/** retrieveWebhookEndpoint. @throws ServiceError webhook_endpoint_not_found, for another account's as for a missing one. */
export async function retrieveWebhookEndpoint({
  platform,
  account,
  endpointId,
}: OperationRequest<"retrieveWebhookEndpoint">): Promise<WebhookEndpoint> {
  return endpointView(existing(await platform.webhookEndpoints.find(account.accountId, endpointId)));
}

/** updateWebhookEndpoint. @throws ServiceError url_forbidden, webhook_endpoint_not_found. */
export async function updateWebhookEndpoint({
  platform,
  account: { accountId },
  endpointId,
  body: change,
}: OperationRequest<"updateWebhookEndpoint">): Promise<WebhookEndpoint> {
  if (change.url !== undefined) checkUrl(platform, change.url);
  const changed = await platform.webhookEndpoints.update(accountId, endpointId, change, Date.now());
  const endpoint = endpointView(existing(changed));
  if (change.disabled === false) await resume(platform, endpointId);
  return endpoint;
}

/** Sends waiting deliveries. If the endpoint's object is unreachable now, that happens with the next event. */
async function resume(platform: Platform, endpointId: string): Promise<void> {
  try {
    await platform.webhookObject(endpointId).resume();
  } catch (error) {
    log("warn", "webhook_delayed", { endpointId, reason: reasonOf(error) });
  }
}

/**
 * rotateWebhookSecret: the new secret signs from now on, and the previous ones for another day. Of two simultaneous requests the
 * second rotates the first one's secret.
 * @throws ServiceError webhook_endpoint_not_found, too_many_secrets.
 */
export async function rotateWebhookSecret({
  platform: { settings, webhookEndpoints },
  account: { accountId },
  endpointId,
}: OperationRequest<"rotateWebhookSecret">): Promise<RotatedWebhookSecret> {
  for (;;) {
    const before = existing(await webhookEndpoints.sealedSecrets(accountId, endpointId));
    // Secrets that the service can't read any more sign nothing, so it keeps none.
    const secrets = (await unsealSecrets(secretsOf(settings), endpointId, before)) ?? [];
    const secret = newWebhookSecret();
    const now = Date.now();
    const next = rotated(secrets, secret, now);
    if (next === null) throw new ServiceError("too_many_secrets");
    const after = await sealSecrets(secretsOf(settings), endpointId, next);
    const endpoint = await webhookEndpoints.replaceSecrets(accountId, endpointId, { before, after }, now);
    if (endpoint !== null) return { endpoint: endpointView(endpoint), secret };
  }
}

/**
 * deleteWebhookEndpoint: stops sending, and removes its deliveries. If its object is unreachable now, the hourly sweep erases it.
 * @throws ServiceError webhook_endpoint_not_found.
 */
export async function deleteWebhookEndpoint({
  platform,
  account,
  endpointId,
}: OperationRequest<"deleteWebhookEndpoint">): Promise<void> {
  const isMarked = await platform.webhookEndpoints.markDeleted(account.accountId, endpointId, Date.now());
  existing(isMarked ? endpointId : null);
  await eraseEndpoint(platform, endpointId);
}

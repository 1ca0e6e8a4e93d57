import { ServiceError } from "../core/errors.ts";
import type { Platform } from "../platform.ts";
import type { EndpointRecord } from "../stores/webhooks/endpoints.ts";

/** A webhook endpoint, if there is one. @throws ServiceError webhook_endpoint_not_found if there is none. */
export function requireEndpoint<T>(endpoint: T | null): T {
  if (endpoint === null) throw new ServiceError("webhook_endpoint_not_found");
  return endpoint;
}

/** A webhook endpoint of the account. @throws ServiceError webhook_endpoint_not_found, for a foreign one as for a missing one. */
export const endpointOf = async (
  platform: Platform,
  accountId: string,
  endpointId: string,
): Promise<EndpointRecord> => requireEndpoint(await platform.webhookEndpoints.find(accountId, endpointId));

/** One that is enabled. @throws ServiceError webhook_endpoint_not_found, webhook_endpoint_disabled. */
export async function enabledEndpointOf(
  platform: Platform,
  accountId: string,
  endpointId: string,
): Promise<EndpointRecord> {
  const endpoint = await endpointOf(platform, accountId, endpointId);
  if (endpoint.disabledAt !== null) throw new ServiceError("webhook_endpoint_disabled");
  return endpoint;
}

import type { RevokedApiKey } from "../../contract/api-key.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { apiKeyView } from "../api-key-view.ts";

/**
 * revokeApiKey: the key is refused from its very next use on. A key that is already revoked stays as it is.
 * @throws ServiceError api_key_not_found, for a foreign key as for a missing one.
 */
export async function revokeApiKey(
  platform: Platform,
  { accountId }: Account,
  keyId: string,
): Promise<RevokedApiKey> {
  const key = await platform.apiKeys.revoke(accountId, keyId, Date.now());
  if (key === null) throw new ServiceError("api_key_not_found");
  return { apiKey: apiKeyView(key) };
}

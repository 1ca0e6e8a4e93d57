import type { ApiKeyList } from "../../contract/api-key.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { apiKeyView } from "../api-key-view.ts";

/** listApiKeys: newest first, including revoked keys. */
export async function listApiKeys(platform: Platform, { accountId }: Account): Promise<ApiKeyList> {
  const keys = await platform.apiKeys.list(accountId);
  return { items: keys.map(apiKeyView) };
}

import { CreatedApiKey } from "../../contract/api-key.ts";
import { apiKeyRefusal } from "../../core/accounts/budgets.ts";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../core/accounts/api-key.ts";
import { ServiceError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { apiKeyView } from "../api-key-view.ts";
import { once, type Once, type Outcome } from "../idempotency.ts";

/**
 * createApiKey. Only the first answer has the secret; a repetition shows what may be shown of the key.
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, too_many_keys.
 */
export async function createApiKey(
  platform: Platform,
  { accountId }: Account,
  label: string,
  idempotencyKey: string | undefined,
): Promise<Once<CreatedApiKey>> {
  const request = { accountId, operation: "createApiKey", key: idempotencyKey, body: { label } };
  return once(
    platform,
    request,
    () => newId("key"),
    CreatedApiKey,
    (keyId) => makeKey(platform, accountId, keyId, label),
  );
}

async function makeKey(
  platform: Platform,
  accountId: string,
  keyId: string,
  label: string,
): Promise<Outcome<CreatedApiKey>> {
  const secret = generateApiKey();
  const now = Date.now();
  const key = { keyId, label, prefix: apiKeyPrefix(secret), revokedAt: null, createdAt: now, updatedAt: now };
  const { MAX_API_KEYS: maxLive } = platform.settings;
  if (await platform.apiKeys.insert(accountId, key, await apiKeyDigest(secret), maxLive)) {
    const apiKey = apiKeyView(key);
    return {
      answer: { apiKey, secret, secretUnavailable: false },
      remembered: { apiKey, secretUnavailable: true },
    };
  }
  const made = await platform.apiKeys.find(accountId, keyId);
  if (made === null) {
    const use = await platform.apiKeys.use(accountId);
    throw apiKeyRefusal(maxLive, use) ?? new ServiceError("too_many_keys");
  }
  // An earlier run made the key and was cut off: its secret is lost.
  const answer = { apiKey: apiKeyView(made), secretUnavailable: true };
  return { answer, remembered: answer };
}

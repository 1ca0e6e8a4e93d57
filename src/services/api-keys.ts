import { CreatedApiKey, type ApiKey, type ApiKeyList, type RevokedApiKey } from "../contract/api-key.ts";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../core/api-key.ts";
import { ServiceError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Account } from "../stores/accounts.ts";
import type { ApiKeyRecord } from "../stores/api-keys.ts";
import type { Platform } from "../stores/platform.ts";
import { once, type Once, type Outcome } from "./idempotency.ts";

const shown = (key: ApiKeyRecord): ApiKey => ({
  keyId: key.keyId,
  label: key.label,
  prefix: key.prefix,
  revoked: key.revokedAt !== null,
  revokedAt: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
  createdAt: new Date(key.createdAt).toISOString(),
  updatedAt: new Date(key.updatedAt).toISOString(),
});

/** listApiKeys: newest first, revoked ones too. */
export async function listApiKeys(platform: Platform, { accountId }: Account): Promise<ApiKeyList> {
  const keys = await platform.apiKeys.list(accountId);
  return { items: keys.map(shown) };
}

/**
 * createApiKey. The secret is in the first answer and nowhere else: of a key that is made already, only what may be shown.
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress.
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
  if (await platform.apiKeys.insert(accountId, key, await apiKeyDigest(secret))) {
    const apiKey = shown(key);
    return {
      answer: { apiKey, secret, secretUnavailable: false },
      remembered: { apiKey, secretUnavailable: true },
    };
  }
  // An earlier run made it and was cut off: its secret is lost.
  const made = await platform.apiKeys.find(accountId, keyId);
  if (made === null) throw new Error("a key's id is taken by another account");
  const answer = { apiKey: shown(made), secretUnavailable: true };
  return { answer, remembered: answer };
}

/**
 * revokeApiKey: refused from its very next use on. A key that is revoked already stays as it is.
 * @throws ServiceError api_key_not_found; of a foreign key likewise.
 */
export async function revokeApiKey(
  platform: Platform,
  { accountId }: Account,
  keyId: string,
): Promise<RevokedApiKey> {
  const key = await platform.apiKeys.revoke(accountId, keyId, Date.now());
  if (key === null) throw new ServiceError("api_key_not_found");
  return { apiKey: shown(key) };
}

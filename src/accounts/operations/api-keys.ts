import { CreatedApiKey, type ApiKey, type ApiKeyList, type RevokedApiKey } from "../contract/api-key.ts";
import { isoOf, isoOrNull } from "../../shared/api/primitives.ts";
import { apiKeyRefusal } from "../rules/budgets.ts";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../rules/api-key.ts";
import { ServiceError } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import type { Platform } from "../../platform.ts";
import type { ApiKeyRecord } from "../store/api-keys.ts";
import { needing } from "../../shared/storage/database-failure.ts";
import { once, type Once, type Outcome } from "../../shared/api/idempotency.ts";
import type { OperationRequest } from "../../operation-request.ts";

/** An API key as the API shows it. */
const apiKeyView = (key: ApiKeyRecord): ApiKey => ({
  keyId: key.keyId,
  label: key.label,
  prefix: key.prefix,
  revoked: key.revokedAt !== null,
  revokedAt: isoOrNull(key.revokedAt),
  createdAt: isoOf(key.createdAt),
  updatedAt: isoOf(key.updatedAt),
});

/** listApiKeys: newest first, including revoked keys. */
export async function listApiKeys({
  platform,
  account,
}: OperationRequest<"listApiKeys">): Promise<ApiKeyList> {
  const keys = await platform.apiKeys.list(account.accountId);
  return { items: keys.map(apiKeyView) };
}

/**
 * createApiKey. Only the first answer has the secret; a repeated request returns the key without it.
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, too_many_keys.
 */
export const createApiKey = ({
  platform,
  account: { accountId },
  body,
  idempotencyKey: key,
}: OperationRequest<"createApiKey">): Promise<Once<CreatedApiKey>> =>
  once(
    platform,
    { accountId, operation: "createApiKey", key, body },
    () => newId("key"),
    CreatedApiKey,
    (keyId) => makeKey(platform, accountId, keyId, body.label),
  );

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
  const digest = await apiKeyDigest(secret);
  // First: an entry without a key grants no access, but a key without an entry would be unusable, and its secret lost.
  await inDirectory(platform, (directory) => directory.enter(digest, accountId));
  if (await platform.apiKeys.insert(accountId, key, digest, maxLive)) {
    const apiKey = apiKeyView(key);
    return {
      answer: { apiKey, secret, secretUnavailable: false },
      remembered: { apiKey, secretUnavailable: true },
    };
  }
  const made = await platform.apiKeys.find(accountId, keyId);
  if (made === null) {
    await inDirectory(platform, (directory) => directory.forget([digest]));
    const use = await platform.apiKeys.use(accountId);
    throw apiKeyRefusal(maxLive, use) ?? new ServiceError("too_many_keys");
  }
  // An earlier run made the key and was interrupted: its secret is lost.
  const answer = { apiKey: apiKeyView(made), secretUnavailable: true };
  return { answer, remembered: answer };
}

/** Writes to the directory, if there is more than one database. */
export async function inDirectory(
  { at, databases, directory }: Platform,
  write: (to: Platform["directory"]) => Promise<void>,
): Promise<void> {
  const first = at();
  if (databases.length > 1) await needing(first, first.database, () => write(directory));
}

/**
 * revokeApiKey: refuses the key from its next use on. Does not change a key that is already revoked.
 * @throws ServiceError api_key_not_found, for another account's key as for a missing one.
 */
export async function revokeApiKey({
  platform,
  account,
  keyId,
}: OperationRequest<"revokeApiKey">): Promise<RevokedApiKey> {
  const key = await platform.apiKeys.revoke(account.accountId, keyId, Date.now());
  if (key === null) throw new ServiceError("api_key_not_found");
  return { apiKey: apiKeyView(key) };
}

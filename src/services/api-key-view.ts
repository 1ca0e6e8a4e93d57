import type { ApiKey } from "../contract/api-key.ts";
import type { ApiKeyRecord } from "../stores/accounts/api-keys.ts";

/** An API key as the API shows it. */
export const apiKeyView = (key: ApiKeyRecord): ApiKey => ({
  keyId: key.keyId,
  label: key.label,
  prefix: key.prefix,
  revoked: key.revokedAt !== null,
  revokedAt: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
  createdAt: new Date(key.createdAt).toISOString(),
  updatedAt: new Date(key.updatedAt).toISOString(),
});

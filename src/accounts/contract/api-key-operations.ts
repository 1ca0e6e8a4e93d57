import { ApiKeyList, CreateApiKeyRequest, CreatedApiKey, RevokedApiKey } from "./api-key.ts";
import type { Operation } from "../../shared/api/operation.ts";

/** Operations of the tag "API keys". */
export const API_KEYS_OPERATIONS = {
  listApiKeys: {
    method: "get",
    path: "/v1/api-keys",
    tag: "API keys",
    summary: "List the account's API keys",
    status: 200,
    answer: ApiKeyList,
    success: "All keys, including revoked ones, without their secrets.",
    errors: [],
  },
  createApiKey: {
    method: "post",
    path: "/v1/api-keys",
    tag: "API keys",
    summary: "Create an API key",
    description: "The service stores only a digest of the secret and cannot show the secret again.",
    idempotencyKey: "required",
    body: CreateApiKeyRequest,
    status: 201,
    answer: CreatedApiKey,
    success: "The key, with its secret.",
    errors: ["too_many_keys"],
  },
  revokeApiKey: {
    method: "delete",
    path: "/v1/api-keys/{keyId}",
    tag: "API keys",
    summary: "Revoke an API key",
    description:
      "The service refuses the key from then on. A revoked key stays revoked; revoking it again changes nothing.",
    status: 200,
    answer: RevokedApiKey,
    success: "The revoked key.",
    errors: ["api_key_not_found"],
  },
} as const satisfies Record<string, Operation>;

import { z } from "zod";
import { DateTime } from "../../shared/api/primitives.ts";

/** POST /v1/api-keys; other fields are ignored. */
export const CreateApiKeyRequest = z
  .object({ label: z.string().min(1).max(100) })
  .meta({ id: "CreateApiKeyRequest", examples: [{ label: "nightly batch" }] });

/** Section 2.7 of the specification: an API key without its secret. */
export const ApiKey = z
  .strictObject({
    keyId: z.string(),
    label: z.string(),
    prefix: z.string().meta({ description: "The first characters of the secret, to distinguish keys." }),
    revoked: z.boolean(),
    revokedAt: DateTime.nullable(),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({
    id: "ApiKey",
    examples: [
      {
        keyId: "key_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        label: "nightly batch",
        prefix: "sk_live_4kQz",
        revoked: false,
        revokedAt: null,
        createdAt: "2026-11-20T09:30:00.000Z",
        updatedAt: "2026-11-20T09:30:00.000Z",
      },
    ],
  });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyList = z.strictObject({ items: z.array(ApiKey) }).meta({ id: "ApiKeyList" });
export type ApiKeyList = z.infer<typeof ApiKeyList>;

/** Only the first response has the secret; a replayed response has `secretUnavailable: true` instead. */
export const CreatedApiKey = z
  .strictObject({
    apiKey: ApiKey,
    secret: z.string().optional().meta({ description: "The key itself. It is shown only in this response." }),
    secretUnavailable: z
      .boolean()
      .meta({ description: "True in a replayed response, which does not contain the secret." }),
  })
  .meta({ id: "CreatedApiKey" });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const RevokedApiKey = z.strictObject({ apiKey: ApiKey }).meta({ id: "RevokedApiKey" });
export type RevokedApiKey = z.infer<typeof RevokedApiKey>;

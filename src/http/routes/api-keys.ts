import { Hono } from "hono";
import { CreateApiKeyRequest } from "../../contract/api-key.ts";
import { createApiKey } from "../../services/operations/create-api-key.ts";
import { listApiKeys } from "../../services/operations/list-api-keys.ts";
import { revokeApiKey } from "../../services/operations/revoke-api-key.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { requireIdempotencyKey, respondOnce } from "../middleware/idempotency-key.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const apiKeys = new Hono<AppEnv>()
  .get("/", authenticate, async (c) => c.json(await listApiKeys(platform(c), c.var.account)))
  .post(
    "/",
    authenticate,
    requireIdempotencyKey,
    jsonBody,
    validate("json", CreateApiKeyRequest),
    async (c) => {
      const { label } = c.req.valid("json");
      const created = await createApiKey(platform(c), c.var.account, label, c.var.idempotencyKey);
      return respondOnce(c, created, 201);
    },
  )
  .all("/", wrongMethod("GET, POST"))
  .delete("/:keyId", authenticate, async (c) =>
    c.json(await revokeApiKey(platform(c), c.var.account, c.req.param("keyId"))),
  )
  .all("/:keyId", wrongMethod("DELETE"));

import { Hono } from "hono";
import {
  CreateWebhookEndpointRequest,
  ListWebhookDeliveriesQuery,
  UpdateWebhookEndpointRequest,
} from "../../contract/webhook.ts";
import { createWebhookEndpoint } from "../../services/operations/create-webhook-endpoint.ts";
import { deleteWebhookEndpoint } from "../../services/operations/delete-webhook-endpoint.ts";
import { listWebhookDeliveries } from "../../services/operations/list-webhook-deliveries.ts";
import { listWebhookEndpoints } from "../../services/operations/list-webhook-endpoints.ts";
import { retrieveWebhookEndpoint } from "../../services/operations/retrieve-webhook-endpoint.ts";
import { retryWebhookDelivery } from "../../services/operations/retry-webhook-delivery.ts";
import { rotateWebhookSecret } from "../../services/operations/rotate-webhook-secret.ts";
import { testWebhookEndpoint } from "../../services/operations/test-webhook-endpoint.ts";
import { updateWebhookEndpoint } from "../../services/operations/update-webhook-endpoint.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { requireIdempotencyKey, respondOnce } from "../middleware/idempotency-key.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const webhookEndpoints = new Hono<AppEnv>()
  .get("/", authenticate, async (c) => c.json(await listWebhookEndpoints(platform(c), c.var.account)))
  .post(
    "/",
    authenticate,
    requireIdempotencyKey,
    jsonBody,
    validate("json", CreateWebhookEndpointRequest),
    async (c) => {
      const { account, idempotencyKey } = c.var;
      const created = await createWebhookEndpoint(platform(c), account, c.req.valid("json"), idempotencyKey);
      return respondOnce(c, created, 201);
    },
  )
  .all("/", wrongMethod("GET, POST"))
  .get("/:endpointId", authenticate, async (c) =>
    c.json(await retrieveWebhookEndpoint(platform(c), c.var.account, c.req.param("endpointId"))),
  )
  .patch(
    "/:endpointId",
    authenticate,
    jsonBody,
    validate("json", UpdateWebhookEndpointRequest),
    async (c) => {
      const endpointId = c.req.param("endpointId");
      return c.json(await updateWebhookEndpoint(platform(c), c.var.account, endpointId, c.req.valid("json")));
    },
  )
  .delete("/:endpointId", authenticate, async (c) => {
    await deleteWebhookEndpoint(platform(c), c.var.account, c.req.param("endpointId"));
    return c.body(null, 204);
  })
  .all("/:endpointId", wrongMethod("GET, PATCH, DELETE"))
  .post("/:endpointId/rotate-secret", authenticate, async (c) =>
    c.json(await rotateWebhookSecret(platform(c), c.var.account, c.req.param("endpointId"))),
  )
  .all("/:endpointId/rotate-secret", wrongMethod("POST"))
  .post("/:endpointId/test", authenticate, async (c) =>
    c.json(await testWebhookEndpoint(platform(c), c.var.account, c.req.param("endpointId")), 202),
  )
  .all("/:endpointId/test", wrongMethod("POST"))
  .get("/:endpointId/deliveries", authenticate, validate("query", ListWebhookDeliveriesQuery), async (c) => {
    const endpointId = c.req.param("endpointId");
    return c.json(await listWebhookDeliveries(platform(c), c.var.account, endpointId, c.req.valid("query")));
  })
  .all("/:endpointId/deliveries", wrongMethod("GET"))
  .post("/:endpointId/deliveries/:deliveryId/retry", authenticate, async (c) => {
    const { endpointId, deliveryId } = c.req.param();
    return c.json(await retryWebhookDelivery(platform(c), c.var.account, endpointId, deliveryId), 202);
  })
  .all("/:endpointId/deliveries/:deliveryId/retry", wrongMethod("POST"));

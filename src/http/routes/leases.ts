import { Hono } from "hono";
import { Completion, OutputsRequest, ProgressReport } from "@segmentation/protocol";
import { completeTask, extendLease, grantOutputs } from "../../services/lease-callbacks.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticateLease } from "../middleware/authenticate.ts";
import { callbackBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

/** What the inference service calls, as the holder of a lease. */
export const leases = new Hono<AppEnv>()
  .post("/outputs", authenticateLease, callbackBody, validate("json", OutputsRequest), async (c) =>
    c.json(await grantOutputs(platform(c), c.var.lease, c.req.valid("json"))),
  )
  .post("/progress", authenticateLease, callbackBody, validate("json", ProgressReport), async (c) =>
    c.json(await extendLease(platform(c), c.var.lease, c.req.valid("json"))),
  )
  .post("/complete", authenticateLease, callbackBody, validate("json", Completion), async (c) => {
    await completeTask(platform(c), c.var.lease, c.req.valid("json"));
    return c.body(null, 204);
  })
  .all("/outputs", wrongMethod("POST"))
  .all("/progress", wrongMethod("POST"))
  .all("/complete", wrongMethod("POST"));

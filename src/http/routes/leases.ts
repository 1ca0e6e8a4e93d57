import { Hono } from "hono";
import { Completion, OutputsRequest, ProgressReport } from "@segmentation/protocol";
import { completeTask, extendLease, grantOutputs } from "../../jobs/operations/lease-callbacks.ts";
import { platform, type AppEnv } from "../context.ts";
import { respondWithJson } from "../json-stream.ts";
import { authenticateLease } from "../middleware/authenticate.ts";
import { readCallback } from "../read-request.ts";

/** Routes for the inference service as the holder of a lease. */
export const leases = new Hono<AppEnv>()
  .post("/outputs", authenticateLease, async (c) =>
    respondWithJson(c, await grantOutputs(platform(c), c.var.lease, await readCallback(c, OutputsRequest))),
  )
  .post("/progress", authenticateLease, async (c) =>
    c.json(await extendLease(platform(c), c.var.lease, await readCallback(c, ProgressReport))),
  )
  .post("/complete", authenticateLease, async (c) => {
    await completeTask(platform(c), c.var.lease, await readCallback(c, Completion));
    return c.body(null, 204);
  });

import { Hono } from "hono";
import { boundStranger } from "../../accounts/operations/authenticate.ts";
import { ServiceError } from "../../shared/errors.ts";
import { platform, type AppEnv } from "../context.ts";

/** Route for inference services that connect to the gateway. Not part of the public API: protocol/src/gateway.ts has its frames. */
export const inference = new Hono<AppEnv>().get("/connect", async (c) => {
  const { settings, gateway } = platform(c);
  if (!settings.INFERENCE_GATEWAY) throw new ServiceError("not_found");
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket")
    throw new ServiceError("invalid_request", "An inference service connects here by WebSocket.");
  await boundStranger(platform(c), c.req.header("cf-connecting-ip") ?? null);
  const { webSocket } = await gateway().fetch(c.req.raw);
  // A new response: the headers of a fetched one can't be changed.
  return new Response(null, { status: 101, webSocket });
});

import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { onTestFinished } from "vitest";
import { listen } from "../../../scripts/shared/listen.ts";

/** Serves an app on a free port of this machine until the test has ended. Returns its address. */
export async function serve(app: Hono): Promise<string> {
  const server = createAdaptorServer({ fetch: app.fetch });
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return await listen(server);
}

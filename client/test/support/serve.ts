import { once } from "node:events";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { onTestFinished } from "vitest";

/** Serves an app on a free port of this machine until the test has ended. Returns its address. */
export async function serve(app: Hono): Promise<string> {
  const server = createAdaptorServer({ fetch: app.fetch });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

import { once } from "node:events";
import type { Server } from "node:net";
import { codeOf } from "./error-parts.ts";

/** The origin of a server that listens on this machine: `http://127.0.0.1:40123`. @throws Error if it does not listen */
export function originOf(server: Pick<Server, "address">): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

/** Lets a server listen only on this machine: on the port if it is free, else on any free one. Returns its origin. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    return await listen(server);
  }
  return originOf(server);
}

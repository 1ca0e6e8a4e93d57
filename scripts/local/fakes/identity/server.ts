import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { listen } from "../../../shared/listen.ts";
import { createIdentityApp } from "./app.ts";
import { makeKept, readKept } from "./kept.ts";
import { createProvider } from "./provider.ts";

export interface IdentityFakeOptions {
  /** The file for the values that must survive a restart: issuer, port and signing key. */
  readonly file: string;
  /** The URL of the API, for the requests on the token page. */
  readonly apiUrl: string;
}

export interface IdentityFake {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a fake for an OpenID provider on 127.0.0.1.
 * The issuer is the URL of its first run. It listens on that port again; if another program uses the port meanwhile,
 * it listens elsewhere but keeps the issuer's name, because an account is (issuer, subject).
 */
export async function createIdentityFake(options: IdentityFakeOptions): Promise<IdentityFake> {
  const server = createServer();
  const known = await readKept(options.file);
  const url = await listen(server, known?.port);
  const kept = known ?? (await makeKept(options.file, url));
  const provider = createProvider(kept, { url, apiUrl: options.apiUrl });
  provider.on("server_error", (_context, error) => console.error(error));
  const app = createIdentityApp({ provider, url, apiUrl: options.apiUrl });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on("request", (incoming, outgoing) => void answer(incoming, outgoing));
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

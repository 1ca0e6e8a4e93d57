import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a file server does with a request of one path. */
export type Serve = (response: ServerResponse, request: IncomingMessage) => void;

/** Somebody else's server of files on this machine, for the service to fetch from. */
export interface FileServer {
  readonly url: (path: string) => string;
  readonly close: () => void;
}

/** Starts a file server on any free port; a path that it does not have is 404. */
export async function startFileServer(paths: Readonly<Record<string, Serve>>): Promise<FileServer> {
  const server = createServer((request, response) => {
    const serve = paths[new URL(request.url ?? "/", "http://127.0.0.1").pathname];
    if (serve === undefined) response.writeHead(404).end();
    else serve(response, request);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: (path) => `http://127.0.0.1:${address.port}${path}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../../scripts/shared/listen.ts";

/** Handles a request of one path. */
export type Serve = (response: ServerResponse, request: IncomingMessage) => void;

/** A third-party file server on this machine, for the service to fetch from. */
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
  const origin = await listen(server);
  return {
    url: (path) => origin + path,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

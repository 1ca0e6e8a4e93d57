import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, originOf } from "../../../scripts/shared/listen.ts";

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const MEGABYTE = Buffer.alloc(1_000_000);
/** Number of megabytes that `/megabytes` offers. */
export const MEGABYTES = 64;

/** A server with the possible behaviors of an endpoint, by the path. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Number of megabytes read of the answers of `/megabytes`. */
  megabytesTaken = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(createServer());
    receiver.#server.on("request", (request, response) => void receiver.#answer(request, response));
    await listen(receiver.#server);
    return receiver;
  }

  get url(): string {
    return originOf(this.#server);
  }

  /** Returns the requests that arrived at a path. */
  at(path: string): Received[] {
    return this.received.filter((request) => request.path === path);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = "" } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, of]) => [name, String(of)]),
    );
    this.received.push({ path, headers, body: await text(request) });
    switch (path) {
      case "/slow":
        await sleep(1_000);
        response.writeHead(200).end("done");
        return;
      case "/silent":
        return;
      case "/redirect":
        response.writeHead(307, { location: `${this.url}/good` }).end();
        return;
      case "/gone":
        response.writeHead(410).end();
        return;
      case "/megabytes":
        return this.#giveMegabytes(response);
      default:
        response.writeHead(204).end();
    }
  }

  async #giveMegabytes(response: ServerResponse): Promise<void> {
    response.writeHead(200);
    const closed = once(response, "close");
    for (let i = 0; i < MEGABYTES && !response.closed; i += 1) {
      if (!response.write(MEGABYTE)) await Promise.race([once(response, "drain"), closed]);
      if (!response.closed) this.megabytesTaken += 1;
    }
    response.end();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

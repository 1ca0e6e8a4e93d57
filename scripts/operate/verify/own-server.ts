import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, originOf } from "../../shared/listen.ts";

/** A request that arrived at the server. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A picture's first bytes, and then some zeros now and then: an import of it has no end. */
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const DRIP = Buffer.alloc(1_024);
const DRIP_EVERY_MS = 50;

/** A server for a local stack to call, in place of the addresses that a deployment's verification needs. */
export class OwnServer {
  readonly #server = createServer();
  /** The requests to `/webhook`. */
  readonly received: Received[] = [];
  /** Number of redirected requests. */
  moved = 0;
  /** Times at which the service began and stopped reading the endless picture (epoch ms). */
  readonly reading: { from: number | null; until: number | null } = { from: null, until: null };

  static async start(): Promise<OwnServer> {
    const own = new OwnServer();
    own.#server.on("request", (request, response) => void own.#answer(request, response));
    await listen(own.#server);
    return own;
  }

  url(path: string): string {
    return originOf(this.#server) + path;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://own");
    switch (pathname) {
      case "/webhook": {
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
        this.received.push({ headers: Object.fromEntries(headers), body: await text(request) });
        return void response.writeHead(204).end();
      }
      case "/moved":
        this.moved += 1;
        return void response.writeHead(302, { location: searchParams.get("to") ?? "/" }).end();
      case "/endless":
        return this.#drip(response);
      default:
        response.writeHead(404).end();
    }
  }

  async #drip(response: ServerResponse): Promise<void> {
    this.reading.from = Date.now();
    response.on("close", () => {
      this.reading.until = Date.now();
    });
    response.writeHead(200, { "content-type": "image/png" }).write(PNG);
    while (!response.closed && !response.destroyed) {
      response.write(DRIP);
      await sleep(DRIP_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

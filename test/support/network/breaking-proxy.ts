import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, originOf } from "../../../scripts/shared/listen.ts";

/** A request that passes the proxy. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A deliberate breakage. Without any of these, everything passes unchanged. */
export interface Breakage {
  /** Answers in place of the server; undefined lets the request pass. */
  readonly answer?: (request: Passing) => Answer | undefined;
  readonly send?: (request: Passing) => Passing;
  /** Changes a whole answer; without it, answers pass piece by piece. */
  readonly edit?: (answer: Required<Answer>, request: Passing) => Answer;
  /** Ends an unfinished answer after this time, in milliseconds: with a 504 if it has not begun. */
  readonly cutAfterMs?: (request: Passing) => number | undefined;
  /** Holds each piece of an answer back, milliseconds. */
  readonly delayMs?: (request: Passing) => number | undefined;
  /** Continues a request whose client has disconnected. */
  readonly swallowsAborts?: boolean;
}

/** An HTTP proxy before a server of this machine. */
export class BreakingProxy {
  readonly #server = createServer();
  readonly #target: URL;
  readonly #breakage: Breakage;

  private constructor(target: string, breakage: Breakage) {
    this.#target = new URL(target);
    this.#breakage = breakage;
    this.#server.on("request", (request, response) => void this.#pass(request, response));
  }

  static async start(target: string, breakage: Breakage = {}): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(target, breakage);
    await listen(proxy.#server);
    return proxy;
  }

  get url(): string {
    return originOf(this.#server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { answer, send, edit, cutAfterMs, swallowsAborts } = this.#breakage;
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    );
    const { method = "GET", url: path = "/" } = incoming;
    const arrived: Passing = { method, path, headers, body: await buffer(incoming) };
    const given = answer?.(arrived);
    if (given !== undefined) return void response.writeHead(given.status, given.headers).end(given.body);
    const request = send?.(arrived) ?? arrived;
    // A signature is for the server's host.
    const { host, hostname, port } = this.#target;
    const behind = forward({
      hostname,
      port,
      method: request.method,
      path: request.path,
      headers: {
        ...request.headers,
        host,
        "content-length": request.body.length,
        // An edited answer has to be uncompressed.
        ...(edit !== undefined && { "accept-encoding": "identity" }),
      },
    });
    const cut = cutAfterMs?.(request);
    if (cut !== undefined) {
      const timer = setTimeout(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(504).end();
        behind.destroy();
      }, cut);
      response.on("close", () => clearTimeout(timer));
    }
    if (swallowsAborts !== true) response.on("close", () => behind.destroy());
    behind.on("error", () => response.destroy());
    behind.on("response", (answered) => void this.#giveBack(request, answered, response));
    behind.end(request.body);
  }

  async #giveBack(request: Passing, answered: IncomingMessage, response: ServerResponse): Promise<void> {
    const { edit, delayMs } = this.#breakage;
    const { statusCode: status = 502, headers } = answered;
    try {
      if (edit !== undefined && !String(headers["content-type"]).includes("event-stream")) {
        const plain = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        );
        const changed = edit({ status, headers: plain, body: await buffer(answered) }, request);
        const { "content-length": _length, "transfer-encoding": _coding, ...rest } = changed.headers ?? plain;
        response.writeHead(changed.status, rest).end(changed.body);
        return;
      }
      response.writeHead(status, headers);
      const delay = delayMs?.(request);
      for await (const piece of answered) {
        if (delay !== undefined) await sleep(delay);
        response.write(piece);
      }
      response.end();
    } catch {
      response.destroy();
    }
  }
}

import type { Logger } from "pino";
import {
  BUSY_PAUSE_MS,
  GATEWAY_CLOSE,
  GATEWAY_PATH,
  type GatewayHello,
  PING,
  PING_MS,
  PONG,
  PONG_MS,
  type ServiceFrame,
} from "@segmentation/protocol";
import { answerFrame, type HttpInterface } from "./relay.ts";

const IDLE_PAUSE_MS = 30_000;
/** The pause after a refusal, which an operator has to end. */
const REFUSED_PAUSE_MS = 60_000;

const REFUSALS: ReadonlySet<number> = new Set([
  GATEWAY_CLOSE.replaced,
  GATEWAY_CLOSE.revoked,
  GATEWAY_CLOSE.incompatible,
  GATEWAY_CLOSE.misbehaved,
]);

/** Times of a connection, in milliseconds. */
const TIMES = {
  pingMs: PING_MS,
  pongMs: PONG_MS,
  /** The pause before another connection: at most this after the first failure, twice as long after each further one. */
  pauseMs: 1_000,
};

export interface GatewayOptions {
  /** The Worker's URL, with ws: or wss:. */
  readonly url: string;
  readonly token: string;
  /** The first frame of each connection. */
  readonly hello: () => GatewayHello;
  readonly http: HttpInterface;
  readonly log: Logger;
  readonly times?: typeof TIMES;
}

/** Node's WebSocket, which takes headers. */
type Options = { readonly headers: Readonly<Record<string, string>> };
export const SocketWithHeaders: new (url: string, options: Options) => WebSocket = WebSocket;

/** Returns a random pause, so that services do not come back at the same time: half of `ms` to all of it. */
const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2);

/** The connection to the gateway. It connects again for as long as the service runs; tasks go on meanwhile. */
export class GatewayConnection {
  readonly #options: GatewayOptions;
  readonly #times: typeof TIMES;
  #socket: WebSocket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #heardAt = 0;
  #isClosed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    this.#connect();
  }

  /** Tells the gateway that a task is over, after its last report. */
  ended(key: string): void {
    this.#send({ type: "ended", key });
  }

  /** Closes the connection for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.close(1000, "The service stops.");
  }

  #connect(): void {
    const { url, token, log, hello } = this.#options;
    const socket = new SocketWithHeaders(url.replace(/\/+$/, "") + GATEWAY_PATH, {
      headers: { authorization: `Bearer ${token}` },
    });
    this.#socket = socket;
    this.#heardAt = performance.now();
    socket.addEventListener("open", () => {
      if (this.#socket !== socket) return;
      log.info({ url }, "gateway_connected");
      this.#send(hello());
      socket.send(PING);
    });
    socket.addEventListener("message", ({ data }) => void this.#take(socket, data));
    socket.addEventListener("close", ({ code, reason }) => this.#lost(socket, code, reason));
    this.#beat(socket);
  }

  /** Pings the gateway, or gives up a connection on which it does not answer. */
  #beat(socket: WebSocket): void {
    this.#timer = setTimeout(() => {
      if (performance.now() - this.#heardAt > this.#times.pongMs) {
        this.#lost(socket, 1006, "no pong");
        socket.close();
        return;
      }
      if (socket.readyState === WebSocket.OPEN) socket.send(PING);
      this.#beat(socket);
    }, this.#times.pingMs);
  }

  async #take(socket: WebSocket, data: unknown): Promise<void> {
    if (this.#socket !== socket || typeof data !== "string") return;
    this.#heardAt = performance.now();
    if (data === PONG) {
      this.#failures = 0;
      return;
    }
    const answer = await answerFrame(data, this.#options.http, this.#options.token);
    // After a loss, the gateway has given up the request.
    if (answer !== null && this.#socket === socket) this.#send(answer);
  }

  #send(frame: ServiceFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #lost(socket: WebSocket, code: number, reason: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const isRefused = REFUSALS.has(code);
    const longest = this.#options.hello().tasks.length > 0 ? BUSY_PAUSE_MS : IDLE_PAUSE_MS;
    const pauseMs = jittered(
      isRefused ? REFUSED_PAUSE_MS : Math.min(this.#times.pauseMs * 2 ** this.#failures, longest),
    );
    this.#failures += 1;
    const line = { code, reason, againInMs: Math.round(pauseMs) };
    if (isRefused) this.#options.log.error(line, "gateway_refused");
    else this.#options.log.warn(line, "gateway_lost");
    this.#timer = setTimeout(() => this.#connect(), pauseMs);
  }
}

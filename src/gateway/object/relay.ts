import { fitsFrame, type GatewayAnswer, type GatewayRequest } from "@segmentation/protocol";

/** Shorter than the Worker's patience with the gateway: it has to hear which offer got no answer. */
const ANSWER_MS = 6_000;

type Ask = Pick<GatewayRequest, "method" | "path" | "headers" | "body">;

interface Waiting {
  readonly socket: WebSocket;
  readonly end: (answer: GatewayAnswer | null) => void;
}

/** Requests that are on their way to workers. */
export class Relay {
  readonly #waiting = new Map<string, Waiting>();

  /** Sends a request to a worker. Returns its answer; null if none came. @throws RangeError if the request is too large for a frame */
  async ask(socket: WebSocket, request: Ask): Promise<GatewayAnswer | null> {
    // Unique for all time: an answer may arrive after this object was restarted.
    const id = crypto.randomUUID();
    const frame = JSON.stringify({ type: "request", id, ...request } satisfies GatewayRequest);
    if (!fitsFrame(frame)) throw new RangeError("the request is too large for a frame");
    const { promise, resolve } = Promise.withResolvers<GatewayAnswer | null>();
    const timer = setTimeout(() => resolve(null), ANSWER_MS);
    this.#waiting.set(id, { socket, end: resolve });
    try {
      socket.send(frame);
      return await promise;
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Takes a worker's answer: "late" if nobody waits for it, "foreign" if another worker was asked. */
  answer(socket: WebSocket, answer: GatewayAnswer): "taken" | "late" | "foreign" {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return "late";
    if (waiting.socket !== socket) return "foreign";
    waiting.end(answer);
    return "taken";
  }

  /** Ends the requests to a worker whose connection is gone. */
  gone(socket: WebSocket): void {
    for (const { socket: asked, end } of this.#waiting.values()) if (asked === socket) end(null);
  }
}

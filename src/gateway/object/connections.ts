import { GATEWAY_CLOSE, SILENT_MS } from "@segmentation/protocol";
import { z } from "zod";

/** A connection's part that survives hibernation. */
const Attachment = z.object({
  name: z.string(),
  /** Epoch milliseconds. */
  since: z.number(),
  /** True once its first frame was accepted. */
  isReady: z.boolean(),
});
type Attachment = z.infer<typeof Attachment>;

/** The longest reason of a close frame (RFC 6455, 5.5). */
const MOST_REASON_BYTES = 123;

/** Unrequested frames, per socket and window: answers that come too late, and ends of tasks that were taken back. */
const MOST_UNASKED = 200;
const UNASKED_WINDOW_MS = 10_000;

/** The WebSockets of the workers. Each worker has one; a newer one replaces it. */
export class Connections {
  readonly #ctx: DurableObjectState;
  /** Attachments that are read: an offer needs all of them. */
  readonly #known = new WeakMap<WebSocket, Attachment>();
  readonly #unasked = new WeakMap<WebSocket, { since: number; frames: number }>();
  /** Closed by this side: the runtime still lists them until the other side has answered. */
  readonly #closed = new WeakSet<WebSocket>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Takes a worker's connection. It replaces an earlier one with its first frame. */
  accept(name: string, socket: WebSocket, now: number): void {
    for (const other of this.#open(name))
      if (!this.about(other).isReady)
        this.close(other, GATEWAY_CLOSE.replaced, "A newer connection has the same token.");
    this.#ctx.acceptWebSocket(socket, [name]);
    this.#note(socket, { name, since: now, isReady: false });
  }

  about(socket: WebSocket): Attachment {
    const known = this.#known.get(socket) ?? Attachment.parse(socket.deserializeAttachment());
    this.#known.set(socket, known);
    return known;
  }

  #note(socket: WebSocket, about: Attachment): void {
    socket.serializeAttachment(about);
    this.#known.set(socket, about);
  }

  /** Makes a connection the worker's only one. */
  makeReady(socket: WebSocket): void {
    const about = this.about(socket);
    for (const other of this.#open(about.name))
      if (other !== socket)
        this.close(
          other,
          GATEWAY_CLOSE.replaced,
          "Another service connected with this token. Add a worker for each service.",
        );
    this.#note(socket, { ...about, isReady: true });
  }

  /** Returns a worker's connection; null if it has none, or has not introduced itself. */
  of(name: string): WebSocket | null {
    return this.#open(name).find((socket) => this.about(socket).isReady) ?? null;
  }

  /** Returns true if the worker has sent no ping for long. */
  isSilent(socket: WebSocket, now: number): boolean {
    const heardAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    return now - Math.max(heardAt ?? 0, this.about(socket).since) > SILENT_MS;
  }

  /** Closes a connection with a sentence. */
  close(socket: WebSocket, code: number, sentence: string): void {
    this.#closed.add(socket);
    try {
      socket.close(code, sentence.slice(0, MOST_REASON_BYTES));
    } catch {
      // It is closed already.
    }
  }

  /** Closes all connections of a worker. */
  closeAll(name: string, code: number, sentence: string): void {
    for (const socket of this.#open(name)) this.close(socket, code, sentence);
  }

  /** Counts an unrequested frame. Returns false if there are too many. */
  admitsUnasked(socket: WebSocket, now: number): boolean {
    const counted = this.#unasked.get(socket);
    if (counted === undefined || now - counted.since > UNASKED_WINDOW_MS) {
      this.#unasked.set(socket, { since: now, frames: 1 });
      return true;
    }
    counted.frames += 1;
    return counted.frames <= MOST_UNASKED;
  }

  /** Returns true if this side has closed the connection: its last frames count no more. */
  isClosed(socket: WebSocket): boolean {
    return this.#closed.has(socket);
  }

  #open(name: string): WebSocket[] {
    return this.#ctx
      .getWebSockets(name)
      .filter((socket) => socket.readyState === WebSocket.OPEN && !this.#closed.has(socket));
  }
}

/** An event as a client receives it. */
export interface ReceivedEvent {
  readonly event: string;
  /** The event's id; null if it has none. */
  readonly id: string | null;
  readonly data: unknown;
}

/** Reads a stream of events by the HTML Standard (9.2.6 "Interpreting an event stream"), with the features that our API uses. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Number of comments so far. */
  comments = 0;
  /** The id that a client sends when it reconnects. */
  lastEventId: string | null = null;

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (body === null) throw new Error("the answer has no body");
    this.#reader = body.getReader();
  }

  /** The next event; null if the stream has ended. */
  async next(): Promise<ReceivedEvent | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end === -1) {
        const { done, value } = await this.#reader.read();
        if (done) {
          if (this.#rest !== "") throw new Error(`the stream ends in the middle of an event: ${this.#rest}`);
          return null;
        }
        this.#rest += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const block = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      const event = this.#eventOf(block);
      if (event !== null) return event;
    }
  }

  #eventOf(block: string): ReceivedEvent | null {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name === "") this.comments += 1;
      else fields.set(name, value);
    }
    const [event, id = null, data] = [fields.get("event"), fields.get("id"), fields.get("data")];
    if (id !== null) this.lastEventId = id;
    return event === undefined || data === undefined ? null : { event, id, data: JSON.parse(data) };
  }

  /** All events until the stream ends. */
  async rest(): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    for (let event = await this.next(); event !== null; event = await this.next()) events.push(event);
    return events;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

/** A device's thread: opens graphs and runs them one after another. */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { messageOf } from "../errors.ts";
import type { Feeds, FromDevice, GraphFile, HeldTensor, Run, Signature, ToDevice } from "./messages.ts";
import { RunQueue } from "./run-queue.ts";
import { freeBuffer } from "../free-buffer.ts";
import type { Values } from "./values.ts";

/** An open graph. `run` blocks the thread; its results are keyed by the outputs' names. */
export interface Session {
  readonly signature: Signature;
  run(
    feeds: Readonly<Record<string, Values>>,
    outputs: readonly string[],
  ): Promise<Readonly<Record<string, Values>>>;
  release(): Promise<void>;
}

/** Serves one port until a message closes it. @param open opens a graph; its errors are sent to the caller */
export function serve(port: MessagePort, open: (file: GraphFile) => Promise<Session>): void {
  const thread = new DeviceThread(port, open);
  port.on("message", (message: ToDevice) => thread.receive(message));
  void thread.work();
}

class DeviceThread {
  readonly #port: MessagePort;
  readonly #open: (file: GraphFile) => Promise<Session>;
  readonly #graphs = new Map<number, Session>();
  readonly #held = new Map<number, Values>();
  /** The held tensors of waiting runs. A run keeps them even if the caller releases them before its turn. */
  readonly #fed = new WeakMap<HeldTensor, Values>();
  readonly #queue: RunQueue;
  #lastHeld = 0;

  constructor(port: MessagePort, open: (file: GraphFile) => Promise<Session>) {
    this.#port = port;
    this.#open = open;
    this.#queue = new RunQueue(() => this.#drain());
  }

  receive(message: ToDevice): void {
    switch (message.type) {
      case "load":
        void this.#load(message.id, message.file);
        break;
      case "run":
        this.#keepFed(message.run);
        this.#queue.add(message.run);
        break;
      case "cancel":
        if (this.#queue.remove(message.id)) this.#fail(message.id, new Error("The run was cancelled."));
        break;
      case "release":
        for (const held of message.held) this.#held.delete(held);
        break;
      case "close":
        this.#queue.close();
        break;
    }
  }

  /** Runs the queue until it is closed. */
  async work(): Promise<void> {
    for (let run = await this.#queue.next(); run !== undefined; run = await this.#queue.next()) {
      const session = this.#graphs.get(run.graph);
      if (session === undefined) throw new Error(`Graph ${run.graph} is not loaded.`);
      this.#send({ type: "started", id: run.id });
      await this.#run(run, session);
    }
    for (const session of this.#graphs.values()) await session.release();
    this.#port.close();
  }

  async #load(id: number, file: GraphFile): Promise<void> {
    try {
      const session = await this.#open(file);
      this.#graphs.set(id, session);
      this.#send({ type: "loaded", id, signature: session.signature });
    } catch (error) {
      this.#fail(id, error);
    }
  }

  async #run(run: Run, session: Session): Promise<void> {
    try {
      const feeds = this.#resolved(run.feeds);
      const started = performance.now();
      const results = await session.run(feeds, run.outputs);
      this.#deliver(run, results, performance.now() - started);
      for (const feed of Object.values(run.feeds)) if ("bytes" in feed) freeBuffer(feed.bytes.buffer);
    } catch (error) {
      this.#fail(run.id, error);
    }
  }

  /** Receives the messages that arrived while a run blocked the thread. */
  #drain(): void {
    for (
      let next = receiveMessageOnPort(this.#port);
      next !== undefined;
      next = receiveMessageOnPort(this.#port)
    )
      this.receive(next.message);
  }

  #resolved(feeds: Feeds): Record<string, Values> {
    return mapped(feeds, (feed, name) => {
      if ("dims" in feed) return feed;
      const values = this.#fed.get(feed);
      if (values === undefined) throw new Error(`The tensor for "${name}" was released before it was used.`);
      return values;
    });
  }

  #keepFed({ feeds }: Run): void {
    for (const feed of Object.values(feeds)) {
      const values = "held" in feed ? this.#held.get(feed.held) : undefined;
      if ("held" in feed && values !== undefined) this.#fed.set(feed, values);
    }
  }

  #deliver({ id, hold, copies = [] }: Run, values: Readonly<Record<string, Values>>, ms: number): void {
    const results = hold ? mapped(values, (one, name) => this.#keep(one, copies.includes(name))) : values;
    const moved = hold ? [] : Object.values(values).map(({ bytes }) => bytes.buffer);
    this.#send({ type: "ran", id, ms, results }, moved);
  }

  #keep(values: Values, copied: boolean): HeldTensor {
    const held = ++this.#lastHeld;
    this.#held.set(held, values);
    return { held, size: values.bytes.length, ...(copied ? { copy: values } : {}) };
  }

  #fail(id: number, error: unknown): void {
    this.#send({ type: "failed", id, message: messageOf(error) });
  }

  #send(message: FromDevice, moved: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, moved);
  }
}

function mapped<V, W>(
  record: Readonly<Record<string, V>>,
  to: (value: V, name: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value, name)]));
}

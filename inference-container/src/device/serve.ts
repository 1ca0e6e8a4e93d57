/** A device's thread: opens graphs and runs them one after another. */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { checkRows, growingInputs, joinFeeds, rowsOf, takeRows } from "./batch.ts";
import type { Feeds, FromDevice, GraphFile, HeldTensor, Run, Signature, ToDevice } from "./messages.ts";
import { RunQueue } from "./run-queue.ts";
import type { Values } from "./values.ts";

/** An open graph. `run` holds the thread; its results are keyed by the outputs' names. */
export interface Session {
  readonly signature: Signature;
  run(
    feeds: Readonly<Record<string, Values>>,
    outputs: readonly string[],
  ): Promise<Readonly<Record<string, Values>>>;
  release(): Promise<void>;
}

interface Loaded {
  readonly session: Session;
  readonly file: GraphFile;
  /** The inputs that grow with a batch; undefined where each run is alone. */
  readonly growing: ReadonlySet<string> | undefined;
}

/** Serves one port until it is told to close. @param open opens a graph; its errors are told to who asked */
export function serve(port: MessagePort, open: (file: GraphFile) => Promise<Session>): void {
  const thread = new DeviceThread(port, open);
  port.on("message", (message: ToDevice) => thread.receive(message));
  void thread.work();
}

class DeviceThread {
  readonly #port: MessagePort;
  readonly #open: (file: GraphFile) => Promise<Session>;
  readonly #graphs = new Map<number, Loaded>();
  readonly #held = new Map<number, Values>();
  /** What runs that wait are fed: they have it though it is released meanwhile. */
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
      case "release":
        for (const held of message.held) this.#held.delete(held);
        break;
      case "close":
        this.#queue.close();
        break;
    }
  }

  /** Runs what comes until it is told to close. */
  async work(): Promise<void> {
    for (let first = await this.#queue.next(); first !== undefined; first = await this.#queue.next()) {
      const graph = this.#graphs.get(first.graph);
      if (graph === undefined) throw new Error(`No graph ${first.graph} was loaded.`);
      const { growing, file } = graph;
      const runs = growing === undefined ? [first] : await this.#queue.companions(first, growing, file);
      await this.#run(runs, graph);
    }
    for (const { session } of this.#graphs.values()) await session.release();
    this.#port.close();
  }

  async #load(id: number, file: GraphFile): Promise<void> {
    try {
      const session = await this.#open(file);
      const growing = file.maxBatch > 1 ? growingInputs(session.signature) : undefined;
      this.#graphs.set(id, { session, file, growing });
      this.#send({ type: "loaded", id, signature: session.signature });
    } catch (error) {
      this.#send({ type: "failed", id, message: messageOf(error) });
    }
  }

  async #run(runs: readonly Run[], { session, growing }: Loaded): Promise<void> {
    const [first] = runs;
    if (first === undefined) return;
    this.#send({ type: "started", ids: runs.map(({ id }) => id) });
    try {
      const joined = runs.length > 1 && growing !== undefined;
      const feeds = this.#resolved(joined ? joinFeeds(runs, growing) : first.feeds);
      const started = performance.now();
      const results = await session.run(feeds, first.outputs);
      const ms = performance.now() - started;
      if (joined)
        checkRows(
          results,
          runs.reduce((sum, run) => sum + rowsOf(run, growing), 0),
        );
      let from = 0;
      for (const run of runs) {
        const rows = joined ? rowsOf(run, growing) : 0;
        this.#deliver(run, joined ? mapped(results, (all) => takeRows(all, from, rows)) : results, ms);
        from += rows;
      }
    } catch (error) {
      for (const { id } of runs) this.#send({ type: "failed", id, message: messageOf(error) });
    }
  }

  /** What came in while the thread was held by a run. */
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
      if (values === undefined) throw new Error(`The tensor for "${name}" was released before its use.`);
      return values;
    });
  }

  #keepFed({ feeds }: Run): void {
    for (const feed of Object.values(feeds)) {
      const values = "held" in feed ? this.#held.get(feed.held) : undefined;
      if ("held" in feed && values !== undefined) this.#fed.set(feed, values);
    }
  }

  #deliver({ id, hold }: Run, values: Readonly<Record<string, Values>>, ms: number): void {
    const results = hold ? mapped(values, (one) => this.#keep(one)) : values;
    const moved = hold ? [] : Object.values(values).map(({ bytes }) => bytes.buffer);
    this.#send({ type: "ran", id, ms, results }, moved);
  }

  #keep(values: Values): HeldTensor {
    const held = ++this.#lastHeld;
    this.#held.set(held, values);
    return { held, size: values.bytes.length };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

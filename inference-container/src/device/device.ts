/** A GPU or the CPU as seen from the engine: graphs run in a thread of its own, the oldest work's first. */
import { Worker } from "node:worker_threads";
import type { Feeds, FromDevice, GraphFile, HeldTensor, Run, Signature, ToDevice } from "./messages.ts";
import type { Usage } from "./usage.ts";

const ONNX_THREAD = new URL("onnx-thread.ts", import.meta.url);

interface Asked {
  readonly began: () => void;
  readonly told: (message: FromDevice) => void;
}

export class Device {
  readonly #thread: Worker;
  readonly #asked = new Map<number, Asked>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #closed = false;

  /** @param script the thread's module: it serves what `serve` says */
  constructor(script: URL = ONNX_THREAD) {
    // No listener for errors: a thread that fails takes the engine with it, which is then started anew.
    this.#thread = new Worker(script);
    this.#thread.on("message", (message: FromDevice) => this.#receive(message));
    // After the listener, which would hold the process again.
    this.#thread.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#thread.once("exit", () => {
      resolve();
      // As a failure does, so that nobody waits for ever.
      if (this.#asked.size > 0) throw new Error("A device's thread ended by itself.");
    });
    this.#ended = promise;
  }

  /** Opens a graph; its id is what runs name. @throws Error with the runtime's reason */
  async load(file: GraphFile): Promise<{ id: number; signature: Signature }> {
    const id = ++this.#lastId;
    const answer = await this.#ask(id, { type: "load", id, file }, []);
    if (answer.type !== "loaded") throw new Error(reasonOf(answer));
    return { id, signature: answer.signature };
  }

  /**
   * Runs a graph when its turn comes.
   * @param moved buffers of feeds that nobody reads here any more: they are not copied
   * @throws Error with the runtime's reason; the reason of the usage's signal, which takes a run out that waits
   */
  async run(run: Omit<Run, "id" | "work">, usage: Usage, moved: readonly ArrayBuffer[] = []): Promise<Feeds> {
    const { signal, work } = usage;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    let hasBegun = false;
    const asked = this.#ask(id, { type: "run", run: { ...run, id, work } }, moved, () => {
      hasBegun = true;
      usage.began();
    });
    const cancel = (): void => this.#post({ type: "cancel", id }, []);
    signal?.addEventListener("abort", cancel, { once: true });
    usage.asked();
    const answer = await asked;
    signal?.removeEventListener("abort", cancel);
    if (hasBegun) usage.ended(answer.type === "ran" ? answer.ms : 0);
    else usage.left();
    if (answer.type === "ran") return answer.results;
    signal?.throwIfAborted();
    throw new Error(reasonOf(answer));
  }

  /** Lets go of tensors that the device holds; runs that were asked for before still have them. */
  release(tensors: readonly HeldTensor[]): void {
    this.#post({ type: "release", held: tensors.map(({ held }) => held) }, []);
  }

  /** Ends the thread after what it was asked for before. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#thread.ref();
    this.#post({ type: "close" }, []);
    await this.#ended;
  }

  #ask(
    id: number,
    message: ToDevice,
    moved: readonly ArrayBuffer[],
    began: () => void = () => undefined,
  ): Promise<FromDevice> {
    if (this.#closed) throw new Error("The device is closed.");
    // What can't be posted throws here, and nobody waits for its answer.
    this.#post(message, moved);
    const { promise, resolve } = Promise.withResolvers<FromDevice>();
    this.#asked.set(id, { began, told: resolve });
    // Only a question that is open keeps the process.
    this.#thread.ref();
    return promise;
  }

  #receive(message: FromDevice): void {
    if (message.type === "started") {
      for (const id of message.ids) this.#asked.get(id)?.began();
      return;
    }
    this.#asked.get(message.id)?.told(message);
    this.#asked.delete(message.id);
    if (this.#asked.size === 0) this.#thread.unref();
  }

  #post(message: ToDevice, moved: readonly ArrayBuffer[]): void {
    this.#thread.postMessage(message, moved);
  }
}

function reasonOf(message: FromDevice): string {
  return message.type === "failed" ? message.message : `The device answered "${message.type}".`;
}

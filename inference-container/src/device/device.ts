/** A GPU or the CPU as the engine sees it: graphs run in a separate thread, those of the oldest work first. */
import { Worker } from "node:worker_threads";
import type { Feeds, FromDevice, GraphFile, HeldTensor, Run, Signature, ToDevice } from "./messages.ts";
import type { Usage } from "./usage.ts";
import { disableTelemetry } from "../onnx/telemetry.ts";

const ONNX_THREAD = new URL("onnx-thread.ts", import.meta.url);

interface Asked {
  readonly began: () => void;
  readonly answered: (message: FromDevice) => void;
}

export class Device {
  readonly #thread: Worker;
  readonly #asked = new Map<number, Asked>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #closed = false;

  /** @param script the thread's module, which has to answer as `serve` does */
  constructor(script: URL = ONNX_THREAD) {
    disableTelemetry();
    // There is no error listener: a thread that fails ends the engine, which is then restarted.
    this.#thread = new Worker(script);
    this.#thread.on("message", (message: FromDevice) => this.#receive(message));
    // After the listener was added, because that refs the thread again.
    this.#thread.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#thread.once("exit", () => {
      resolve();
      // Ends the engine as a failure does: otherwise callers would wait forever.
      if (this.#asked.size > 0) throw new Error("A device's thread ended unexpectedly.");
    });
    this.#ended = promise;
  }

  /** Opens a graph and returns the id by which runs name it. @throws Error with the runtime's reason */
  async load(file: GraphFile): Promise<{ id: number; signature: Signature }> {
    const id = ++this.#lastId;
    const answer = await this.#ask(id, { type: "load", id, file }, []);
    if (answer.type !== "loaded") throw new Error(reasonOf(answer));
    return { id, signature: answer.signature };
  }

  /**
   * Runs a graph when its turn comes.
   * @param moved buffers of feeds that the caller no longer reads: they are transferred, not copied
   * @throws Error with the runtime's reason; the reason of the usage's signal, which cancels a waiting run
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

  /** Releases tensors that the device holds; runs requested before still get them. */
  release(tensors: readonly HeldTensor[]): void {
    this.#post({ type: "release", held: tensors.map(({ held }) => held) }, []);
  }

  /** Ends the thread once it has done everything requested before. */
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
    // Posted first: if that throws, no entry waits for an answer.
    this.#post(message, moved);
    const { promise, resolve } = Promise.withResolvers<FromDevice>();
    this.#asked.set(id, { began, answered: resolve });
    // Only an open request keeps the process alive.
    this.#thread.ref();
    return promise;
  }

  #receive(message: FromDevice): void {
    if (message.type === "started") {
      this.#asked.get(message.id)?.began();
      return;
    }
    this.#asked.get(message.id)?.answered(message);
    this.#asked.delete(message.id);
    if (this.#asked.size === 0) this.#thread.unref();
  }

  #post(message: ToDevice, moved: readonly ArrayBuffer[]): void {
    this.#thread.postMessage(message, moved);
  }
}

function reasonOf(message: FromDevice): string {
  return message.type === "failed"
    ? message.message
    : `The device gave the unexpected answer "${message.type}".`;
}

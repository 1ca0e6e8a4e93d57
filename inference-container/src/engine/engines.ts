import type { Logger } from "pino";
import type { Lane } from "@segmentation/protocol";
import type { Metrics } from "../metrics.ts";
import { taskFailure } from "../tasks/failure.ts";
import { Displaced, Engine } from "./engine.ts";
import type { EngineConfig, EngineTask, EngineResult, ModelInfo } from "./messages.ts";

/** How often a task is run again because of another. */
const MOST_RESTARTS = 3;
/** For how many pictures it is known which engine had them last. */
const PICTURES_KNOWN = 1_000;

/** The configuration that all engines share: all but the device. */
type SharedConfig = Omit<EngineConfig, "options"> & {
  readonly options: Omit<EngineConfig["options"], "device">;
};

interface Entry {
  readonly task: EngineTask;
  readonly lane: Lane;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => void;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  /** How often it was run again because its engine ended due to another task. */
  restarts: number;
}

interface Member {
  readonly device: string;
  readonly engine: Engine;
  /** When it last began or ended a task, in milliseconds. */
  usedAt: number;
}

/** A device and its state. */
export interface DeviceState {
  /** The CUDA device's id; "cpu" without CUDA. */
  readonly device: string;
  readonly state: "ready" | "starting";
  /** The execution provider in actual use; only while the device is ready. */
  readonly provider?: string;
}

/**
 * One engine per device. Tasks wait here, so that none waits for a busy engine while another has room. If an engine ends,
 * the others go on, and those of its tasks that are not to blame are run again wherever there is room.
 */
export class Engines {
  readonly #members: readonly Member[];
  readonly #metrics: Metrics;
  #waiting: Entry[] = [];
  /** By a picture's hash, the engine that had it last and may still have its features; the newest come last. */
  readonly #hadLast = new Map<string, Member>();

  /** @param devices CUDA device ids; on the CPU a single one, which is ignored */
  constructor(
    config: SharedConfig,
    devices: readonly number[],
    taskTimeoutMs: number,
    log: Logger,
    metrics: Metrics,
  ) {
    this.#metrics = metrics;
    this.#members = devices.map((id) => {
      const device = config.options.provider === "cpu" ? "cpu" : String(id);
      const own = { ...config, options: { ...config.options, device: id } };
      const restarts = metrics.engineRestarts.labels({ device });
      // A counter that appears only with its first event hides that event from `increase`.
      restarts.inc(0);
      const on = { changed: () => this.#changed(), restarting: () => restarts.inc() };
      return { device, engine: new Engine(own, taskTimeoutMs, log.child({ device }), on), usedAt: 0 };
    });
  }

  /** The loaded model, or undefined while no engine is ready. */
  get model(): ModelInfo | undefined {
    return this.#members.find(({ engine }) => engine.model !== undefined)?.engine.model;
  }

  get devices(): DeviceState[] {
    return this.#members.map(({ device, engine: { model } }) =>
      model === undefined
        ? { device, state: "starting" }
        : { device, state: "ready", provider: model.provider },
    );
  }

  /** The process ids of the engines, in the devices' order; undefined for one that isn't running. */
  get pids(): (number | undefined)[] {
    return this.#members.map(({ engine }) => engine.pid);
  }

  /** Starts the engines: one promise per device resolves when it is first ready, rejects if it can't load the model. */
  start(): Promise<ModelInfo>[] {
    return this.#members.map(async ({ device, engine }) => {
      try {
        return await engine.start();
      } catch (error) {
        if (device === "cpu" || !(error instanceof Error)) throw error;
        throw new Error(`CUDA device ${device}: ${error.message}`, { cause: error });
      }
    });
  }

  /**
   * Runs one task; interactive ones go before others. Rejects at once with the signal's reason if that aborts.
   * @param progress is called with how many of how many units are done
   * @throws TaskFailure
   */
  run(
    task: EngineTask,
    lane: Lane,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<EngineResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const entry: Entry = { task, lane, signal, progress, resolve, reject, restarts: 0 };
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(entry);
    this.#changed();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ engine }) => engine.close()));
  }

  #changed(): void {
    for (const entry of this.#waiting.toSorted(interactiveFirst)) {
      const member = this.#bestFor(entry.task);
      if (member !== undefined) void this.#give(entry, member);
    }
    this.#metrics.modelInfo.reset();
    for (const { device, engine } of this.#members) {
      this.#metrics.engineTasks.set({ device }, engine.load);
      if (engine.model === undefined) continue;
      const { id, version, provider } = engine.model;
      this.#metrics.modelInfo.set({ id, version, provider }, 1);
    }
  }

  /** Of the engines with room, the one with the fewest tasks, then the one that knows the picture, then the longest idle. */
  #bestFor(task: EngineTask): Member | undefined {
    const knows = task.type === "image" ? this.#hadLast.get(task.contentHash) : undefined;
    const [best] = this.#members
      .filter(({ engine }) => engine.takes(task.type))
      .toSorted(
        (a, b) =>
          a.engine.load - b.engine.load || Number(b === knows) - Number(a === knows) || a.usedAt - b.usedAt,
      );
    return best;
  }

  async #give(entry: Entry, member: Member): Promise<void> {
    const { task, signal, progress } = entry;
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    if (task.type === "image") this.#remember(task.contentHash, member);
    member.usedAt = performance.now();
    try {
      entry.resolve(await member.engine.run(task, signal, progress));
    } catch (error) {
      if (error instanceof Displaced) this.#again(entry);
      else entry.reject(error);
    } finally {
      member.usedAt = performance.now();
    }
  }

  /** A displaced task is run again, but not for ever: it may be the one that ends the engine. */
  #again(entry: Entry): void {
    entry.restarts += 1;
    if (entry.restarts > MOST_RESTARTS) return entry.reject(taskFailure("engine_crashed"));
    this.#waiting.unshift(entry);
    this.#changed();
  }

  #remember(contentHash: string, member: Member): void {
    this.#hadLast.delete(contentHash);
    this.#hadLast.set(contentHash, member);
    const [oldest] = this.#hadLast.keys();
    if (this.#hadLast.size > PICTURES_KNOWN && oldest !== undefined) this.#hadLast.delete(oldest);
  }
}

const interactiveFirst = (a: Entry, b: Entry): number =>
  Number(b.lane === "interactive") - Number(a.lane === "interactive");

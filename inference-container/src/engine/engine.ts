import type { Logger } from "pino";
import { taskFailure, TaskFailure } from "../tasks/failure.ts";
import { EngineProcess } from "./process.ts";
import { Watchdog } from "./watchdog.ts";
import type { EngineConfig, EngineTask, EngineResult, FromEngine, ModelInfo } from "./messages.ts";

/** How long a cancelled task may hold the model before the engine is killed to free it. */
const DROP_GRACE_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** Failed starts in a row after which the service gives up. */
const MOST_FAILED_STARTS = 5;

interface Entry {
  readonly task: EngineTask;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly progress: (done: number, total: number) => void;
  dropped: boolean;
}

/** The engine ended because of another task: this one has to be run again. */
export class Displaced extends Error {
  override readonly name = "Displaced";
}

/** What an engine tells its owner. */
export interface EngineEvents {
  /** It became ready, ended, or has more room. */
  readonly changed: () => void;
  /** Its process has ended and will be restarted. */
  readonly restarting: () => void;
}

/**
 * Keeps one engine process alive and gives it tasks. If the process dies, the task to blame fails (retryable), its other
 * tasks are rejected with `Displaced`, and it is restarted with back-off.
 */
export class Engine {
  readonly #config: EngineConfig;
  readonly #taskTimeoutMs: number;
  readonly #log: Logger;
  readonly #on: EngineEvents;
  readonly #firstReady = Promise.withResolvers<ModelInfo>();
  #process: EngineProcess | undefined;
  #model: ModelInfo | undefined;
  /** Pictures inside at once: those on the device, as many being prepared for it, and one being encoded. */
  #window = 0;
  #running: Entry[] = [];
  readonly #watchdog: Watchdog;
  /** The stuck task because of which the engine is being killed. */
  #stuck: string | undefined;
  #failedStarts = 0;
  #closing = false;

  constructor(config: EngineConfig, taskTimeoutMs: number, log: Logger, on: EngineEvents) {
    this.#config = config;
    this.#taskTimeoutMs = taskTimeoutMs;
    this.#log = log;
    this.#on = on;
    this.#watchdog = new Watchdog(taskTimeoutMs, (key) => {
      // If several are stuck at once, the others are rejected with Displaced.
      this.#stuck ??= key;
      this.#process?.kill();
    });
  }

  /** The loaded model, or undefined while the engine is not ready. */
  get model(): ModelInfo | undefined {
    return this.#model;
  }

  /** Whether it is ready and has room. Beside any pictures it has room for one clip, which shares the device frame by frame. */
  takes(type: EngineTask["type"]): boolean {
    const alike = this.#running.filter(({ task }) => task.type === type).length;
    return this.#model !== undefined && alike < (type === "image" ? this.#window : 1);
  }

  /** How many tasks it has. */
  get load(): number {
    return this.#running.length;
  }

  /** The engine's process id, for operators and tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the engine; resolves when it is first ready. @throws Error if the model can't be loaded */
  start(): Promise<ModelInfo> {
    this.#spawn();
    return this.#firstReady.promise;
  }

  /**
   * Runs one task, for which there has to be room (`takes`). Rejects at once with the signal's reason if that aborts.
   * @param progress is called with how many of how many units are done
   * @throws TaskFailure; Displaced if the task has to be run again
   */
  run(
    task: EngineTask,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<EngineResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const entry: Entry = { task, resolve, reject, progress, dropped: false };
    const drop = (): void => {
      reject(signal.reason);
      this.#drop(entry);
    };
    signal.addEventListener("abort", drop, { once: true });
    this.#running.push(entry);
    this.#process?.send({ type: "run", task });
    this.#watchdog.began(task.key);
    return promise.finally(() => signal.removeEventListener("abort", drop));
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#watchdog.clear();
    await this.#process?.close();
  }

  #spawn(): void {
    this.#process = new EngineProcess(this.#config, {
      message: (message) => this.#receive(message),
      exit: (how) => this.#exited(how),
    });
  }

  #receive(message: FromEngine): void {
    switch (message.type) {
      case "ready":
        this.#model = message.model;
        this.#window = 2 * message.maxBatch + 1;
        this.#failedStarts = 0;
        this.#firstReady.resolve(message.model);
        this.#log.debug(message.model, "engine_ready");
        if (message.model.fallback !== undefined)
          this.#log.warn({ reason: message.model.fallback }, "cpu_fallback");
        this.#on.changed();
        break;
      case "unloadable":
        this.#log.error({ reason: message.message }, "model_unloadable");
        this.#firstReady.reject(new Error(`The model could not be loaded: ${message.message}`));
        break;
      case "beat":
        this.#watchdog.beat();
        break;
      case "at":
        this.#watchdog.at(message.key, message.stage);
        break;
      case "progress":
        this.#watchdog.told(message.key);
        this.#running.find(({ task }) => task.key === message.key)?.progress(message.done, message.total);
        break;
      case "done":
        this.#take(message.key)?.resolve(message.result);
        break;
      case "failed": {
        const { key, problem, detail } = message;
        const entry = this.#take(key);
        const failure = new TaskFailure(problem);
        if (detail !== undefined)
          this.#log[failure.retryable ? "error" : "info"]({ key, detail }, "engine_error");
        entry?.reject(failure);
        break;
      }
    }
  }

  #take(key: string): Entry | undefined {
    this.#watchdog.ended(key);
    const entry = this.#running.find(({ task }) => task.key === key);
    this.#running = this.#running.filter((other) => other !== entry);
    this.#on.changed();
    return entry;
  }

  #drop(entry: Entry): void {
    if (!this.#running.includes(entry)) return;
    entry.dropped = true;
    this.#process?.send({ type: "drop", key: entry.task.key });
    const grace = setTimeout(() => {
      if (this.#running.includes(entry) && this.#watchdog.suspect === entry.task.key) this.#process?.kill();
    }, DROP_GRACE_MS);
    grace.unref();
  }

  #exited(how: string): void {
    const blamed = this.#stuck ?? this.#watchdog.suspect;
    const culprit = this.#running.find(({ task }) => task.key === blamed);
    const behind = this.#running.filter((entry) => entry !== culprit && !entry.dropped);
    const everReady = this.#model !== undefined;
    this.#model = undefined;
    this.#process = undefined;
    this.#running = [];
    this.#watchdog.clear();
    culprit?.reject(
      this.#stuck === undefined
        ? taskFailure("engine_crashed")
        : taskFailure("engine_timeout", { seconds: this.#taskTimeoutMs / 1_000 }),
    );
    for (const entry of behind.toReversed()) entry.reject(new Displaced());
    if (!this.#closing) this.#restart(how, everReady);
    this.#stuck = undefined;
    this.#on.changed();
  }

  #restart(how: string, wasReady: boolean): void {
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1;
    if (this.#failedStarts >= MOST_FAILED_STARTS) {
      this.#firstReady.reject(
        new Error(`The engine failed to start ${this.#failedStarts} times in a row (${how}).`),
      );
    }
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failedStarts, LONGEST_BACKOFF_MS);
    this.#on.restarting();
    this.#log.error({ how, stuck: this.#stuck, restartInMs: delayMs }, "engine_ended");
    setTimeout(() => {
      if (!this.#closing) this.#spawn();
    }, delayMs);
  }
}

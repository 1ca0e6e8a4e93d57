import type { Logger } from "pino";
import type { Lane } from "../../../src/inference/protocol.ts";
import type { Metrics } from "../metrics.ts";
import { interrupted, TaskFailure } from "../tasks/failure.ts";
import { EngineProcess } from "./process.ts";
import type { EngineConfig, EngineJob, EngineResult, FromEngine, ModelInfo } from "./messages.ts";

/** Pictures inside the engine at once: while one infers, the next is decoded and the last encoded. */
const WINDOW = 2;
/** How long a cancelled job may hold the model before the engine is killed to free it. */
const DROP_GRACE_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** Starts in a row that may end without an engine that is ready, before the service gives up. */
const MOST_FAILED_STARTS = 5;

interface Entry {
  readonly job: EngineJob;
  readonly lane: Lane;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly progress: (done: number, total: number) => void;
  dropped: boolean;
}

/**
 * Keeps one engine process alive and feeds it. A process that dies fails the job it was inside (retryable) and is
 * started again with back-off; jobs that only stood beside are sent to the new one.
 */
export class Engine {
  readonly #config: EngineConfig;
  readonly #taskTimeoutMs: number;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #firstReady = Promise.withResolvers<ModelInfo>();
  #process: EngineProcess | undefined;
  #model: ModelInfo | undefined;
  #waiting: Entry[] = [];
  #running: Entry[] = [];
  /** The job that the engine said it was at last. */
  #inside: string | undefined;
  #silence: NodeJS.Timeout | undefined;
  #timedOut = false;
  #failedStarts = 0;
  #closing = false;

  constructor(config: EngineConfig, taskTimeoutMs: number, log: Logger, metrics: Metrics) {
    this.#config = config;
    this.#taskTimeoutMs = taskTimeoutMs;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** The loaded model, or undefined while the engine is not ready. */
  get model(): ModelInfo | undefined {
    return this.#model;
  }

  /** The engine's process id, for operators and tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the engine; resolves when it is first ready. @throws Error when the model can't be loaded */
  start(): Promise<ModelInfo> {
    this.#spawn();
    return this.#firstReady.promise;
  }

  /**
   * Runs one job; interactive ones go before others. An aborted signal rejects at once with its reason.
   * @param progress hears how many of how many units are done
   * @throws TaskFailure
   */
  run(
    job: EngineJob,
    lane: Lane,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<EngineResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const entry: Entry = { job, lane, resolve, reject, progress, dropped: false };
    const drop = (): void => {
      reject(signal.reason);
      this.#drop(entry);
    };
    signal.addEventListener("abort", drop, { once: true });
    this.#waiting.push(entry);
    this.#pump();
    return promise.finally(() => signal.removeEventListener("abort", drop));
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#silence);
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
        this.#failedStarts = 0;
        this.#firstReady.resolve(message.model);
        this.#log.debug(message.model, "engine_ready");
        break;
      case "unloadable":
        this.#log.error({ reason: message.message }, "model_unloadable");
        this.#firstReady.reject(new Error(`The model could not be loaded: ${message.message}`));
        break;
      case "inside":
        this.#inside = message.id;
        break;
      case "progress":
        this.#running.find(({ job }) => job.id === message.id)?.progress(message.done, message.total);
        break;
      case "done":
        this.#take(message.id)?.resolve(message.result);
        break;
      case "failed": {
        const { id, problem, retryable, detail } = message;
        const entry = this.#take(id);
        if (detail !== undefined)
          this.#log[retryable ? "error" : "info"]({ key: id, detail }, "engine_error");
        entry?.reject(new TaskFailure(problem.code, problem.message, retryable));
        break;
      }
    }
    this.#pump();
    this.#watch();
  }

  #take(id: string): Entry | undefined {
    const entry = this.#running.find(({ job }) => job.id === id);
    this.#running = this.#running.filter((other) => other !== entry);
    return entry;
  }

  /** Videos are few (the board sees to that) and share the model frame by frame: they never wait behind pictures. */
  #next(): Entry | undefined {
    const pictures = this.#running.filter(({ job }) => job.type === "image").length;
    const ready = this.#waiting.filter(({ job }) => job.type === "video" || pictures < WINDOW);
    return ready.find(({ lane }) => lane === "interactive") ?? ready[0];
  }

  #pump(): void {
    if (this.#model === undefined) return;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const entry = next;
      this.#waiting = this.#waiting.filter((other) => other !== entry);
      this.#running.push(entry);
      this.#process?.send({ type: "run", job: entry.job });
      if (this.#running.length === 1) this.#watch();
    }
  }

  /** An engine with work that says nothing for a task's time is stuck. */
  #watch(): void {
    clearTimeout(this.#silence);
    if (this.#running.length === 0) return;
    this.#silence = setTimeout(() => {
      this.#timedOut = true;
      this.#process?.kill();
    }, this.#taskTimeoutMs);
  }

  #drop(entry: Entry): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    if (!this.#running.includes(entry)) return;
    entry.dropped = true;
    this.#process?.send({ type: "drop", id: entry.job.id });
    const grace = setTimeout(() => {
      if (this.#running.includes(entry) && this.#inside === entry.job.id) this.#process?.kill();
    }, DROP_GRACE_MS);
    grace.unref();
  }

  #exited(how: string): void {
    const culprit = this.#running.find(({ job }) => job.id === this.#inside) ?? this.#running[0];
    const behind = this.#running.filter((entry) => entry !== culprit && !entry.dropped);
    const everReady = this.#model !== undefined;
    this.#model = undefined;
    this.#process = undefined;
    this.#running = [];
    this.#inside = undefined;
    clearTimeout(this.#silence);
    this.#waiting.unshift(...behind);
    culprit?.reject(this.#timedOut ? timeout(this.#taskTimeoutMs) : crash());
    if (!this.#closing) this.#restart(how, everReady);
    this.#timedOut = false;
  }

  #restart(how: string, wasReady: boolean): void {
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1;
    if (this.#failedStarts >= MOST_FAILED_STARTS) {
      this.#firstReady.reject(
        new Error(`The engine ended ${this.#failedStarts} times while it was starting (${how}).`),
      );
    }
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failedStarts, LONGEST_BACKOFF_MS);
    this.#metrics.engineRestarts.inc();
    this.#log.error({ how, timedOut: this.#timedOut, restartInMs: delayMs }, "engine_ended");
    setTimeout(() => {
      if (!this.#closing) this.#spawn();
    }, delayMs);
  }
}

const crash = (): TaskFailure =>
  interrupted("engine_crashed", "The inference engine ended unexpectedly while it worked on this task.");

const timeout = (ms: number): TaskFailure =>
  interrupted(
    "engine_timeout",
    `The picture, or a frame of the video, took longer than ${ms / 1_000} seconds and was stopped.`,
  );

import type { Logger } from "pino";
import type { Lane } from "../../../src/inference/protocol.ts";
import type { Metrics } from "../metrics.ts";
import { TaskFailure } from "../tasks/failure.ts";
import { crash, timeout } from "./failures.ts";
import { EngineProcess } from "./process.ts";
import { Watchdog } from "./watchdog.ts";
import type { EngineConfig, EngineJob, EngineResult, FromEngine, ModelInfo } from "./messages.ts";

/** Pictures inside the engine at once: while one infers, the next is decoded and the last encoded. */
const WINDOW = 2;
/** How long a cancelled job may hold the model before the engine is killed to free it. */
const DROP_GRACE_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** How often a job begins anew for another's sake. */
const MOST_RESTARTS = 3;
/** Starts in a row that may end without an engine that is ready, before the service gives up. */
const MOST_FAILED_STARTS = 5;

interface Entry {
  readonly job: EngineJob;
  readonly lane: Lane;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly progress: (done: number, total: number) => void;
  dropped: boolean;
  /** How often it began anew because the engine ended for another job's sake. */
  restarts: number;
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
  readonly #watchdog: Watchdog;
  /** The job for which the engine is being killed. */
  #stuck: string | undefined;
  #failedStarts = 0;
  #closing = false;

  constructor(config: EngineConfig, taskTimeoutMs: number, log: Logger, metrics: Metrics) {
    this.#config = config;
    this.#taskTimeoutMs = taskTimeoutMs;
    this.#log = log;
    this.#metrics = metrics;
    this.#watchdog = new Watchdog(taskTimeoutMs, (id) => {
      this.#stuck = id;
      this.#process?.kill();
    });
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
    const entry: Entry = { job, lane, resolve, reject, progress, dropped: false, restarts: 0 };
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
        this.#failedStarts = 0;
        this.#firstReady.resolve(message.model);
        this.#log.debug(message.model, "engine_ready");
        break;
      case "unloadable":
        this.#log.error({ reason: message.message }, "model_unloadable");
        this.#firstReady.reject(new Error(`The model could not be loaded: ${message.message}`));
        break;
      case "beat":
        this.#watchdog.beat();
        break;
      case "at":
        this.#watchdog.at(message.id, message.stage);
        break;
      case "progress":
        this.#watchdog.told(message.id);
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
  }

  #take(id: string): Entry | undefined {
    this.#watchdog.ended(id);
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
      this.#watchdog.began(entry.job.id);
    }
  }

  #drop(entry: Entry): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    if (!this.#running.includes(entry)) return;
    entry.dropped = true;
    this.#process?.send({ type: "drop", id: entry.job.id });
    const grace = setTimeout(() => {
      if (this.#running.includes(entry) && this.#watchdog.suspect === entry.job.id) this.#process?.kill();
    }, DROP_GRACE_MS);
    grace.unref();
  }

  #exited(how: string): void {
    const blamed = this.#stuck ?? this.#watchdog.suspect;
    const culprit = this.#running.find(({ job }) => job.id === blamed);
    const behind = this.#running.filter((entry) => entry !== culprit && !entry.dropped);
    const everReady = this.#model !== undefined;
    this.#model = undefined;
    this.#process = undefined;
    this.#running = [];
    this.#watchdog.clear();
    culprit?.reject(this.#stuck === undefined ? crash() : timeout(this.#taskTimeoutMs));
    for (const entry of behind.toReversed()) this.#again(entry);
    if (!this.#closing) this.#restart(how, everReady);
    this.#stuck = undefined;
  }

  /** Who only stood beside begins anew, but not for ever: it may be the one that brings the engine down. */
  #again(entry: Entry): void {
    entry.restarts += 1;
    if (entry.restarts > MOST_RESTARTS) entry.reject(crash());
    else this.#waiting.unshift(entry);
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
    this.#log.error({ how, stuck: this.#stuck, restartInMs: delayMs }, "engine_ended");
    setTimeout(() => {
      if (!this.#closing) this.#spawn();
    }, delayMs);
  }
}

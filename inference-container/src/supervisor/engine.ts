import type { Logger } from "pino";
import { mayBeDevices, ModelUnavailable, TaskFailure } from "../failures.ts";
import { Doubt, outcomesAfterCrash, type Kill, Suspected } from "./after-crash.ts";
import { EngineProcess } from "./process.ts";
import { Watchdog } from "./watchdog.ts";
import type { EngineConfig, EngineResult, EngineTask, FromEngine, ModelInfo } from "../messages.ts";

/** The time for which a canceled task may hold the model before the engine is killed to free it. */
const DROP_GRACE_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** The limit of a start, in multiples of a task's limit: it opens the graphs and runs the golden picture. */
const START_LIMITS = 5;

interface Entry {
  readonly task: EngineTask;
  readonly alone: boolean;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly progress: (done: number, total: number) => void;
  dropped: boolean;
}

/** The number of finished tasks after which the engine forgets a device's faults. */
const FORGIVEN_AFTER = 100;

/** Limits of an engine's time and of its device's faults. */
export interface EngineLimits {
  readonly taskTimeoutMs: number;
  /** The number of faults after which the device is given up. */
  readonly deviceFaults: number;
}

/** Reports of an engine to its owner. */
export interface EngineEvents {
  /** The engine became ready, ended, was given up, or has more room. */
  readonly changed: () => void;
  /** Its process has ended and will be restarted. */
  readonly restarting: () => void;
}

/**
 * Keeps one engine process alive and gives it tasks. Restarts a process that ends, after a delay that grows with the
 * faults of its device; after too many faults it gives the device up for good. Faults are starts that fail, and
 * failures that no task explains. A task that was alone in a process that ended, or is known to be stuck, is rejected
 * with `Suspected`, and the others with `Displaced`; if any of several may be the cause, all with `Suspected`.
 */
export class Engine {
  readonly #config: EngineConfig;
  readonly #limits: EngineLimits;
  readonly #log: Logger;
  readonly #on: EngineEvents;
  readonly #firstReady = Promise.withResolvers<ModelInfo>();
  #process: EngineProcess | undefined;
  #model: ModelInfo | undefined;
  /** The reason why the model can't work although it is loaded. */
  #problem: string | null = null;
  /** The number of pictures that the model works on at once. */
  #concurrency = 1;
  #running: Entry[] = [];
  readonly #watchdog: Watchdog;
  #kill: Kill | undefined;
  #faults = 0;
  /** The number of tasks finished since its last fault. */
  #done = 0;
  #isGivenUp = false;
  #startTimer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(config: EngineConfig, limits: EngineLimits, log: Logger, on: EngineEvents) {
    this.#config = config;
    this.#limits = limits;
    this.#log = log;
    this.#on = on;
    this.#watchdog = new Watchdog(limits.taskTimeoutMs, (key) => this.#end({ why: "stuck", key }));
  }

  /** The loaded model, or undefined while the engine is not ready. */
  get model(): ModelInfo | undefined {
    return this.#model;
  }

  /** True if its device failed too often. It never starts again. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** True if its model is loaded and able to work. */
  get isAble(): boolean {
    return this.#model !== undefined && this.#problem === null;
  }

  /**
   * True if it is ready and has room. Besides pictures it has room for one video, which shares the device frame by
   * frame.
   * @param alone true if the task must be alone in it
   */
  takes(type: EngineTask["type"], alone: boolean): boolean {
    if (this.#model === undefined || this.hasLoner) return false;
    if (alone) return this.#running.length === 0;
    const alike = this.#running.filter(({ task }) => task.type === type).length;
    return alike < (type === "image" ? this.places : 1);
  }

  /** True if it has a task that must be alone in it. */
  get hasLoner(): boolean {
    return this.#running.some(({ alone }) => alone);
  }

  get hasClip(): boolean {
    return this.#running.some(({ task }) => task.type === "video");
  }

  /** The number of pictures that it has room for: those in the model, as many in preparation, and one being encoded. */
  get places(): number {
    return 2 * this.#concurrency + 1;
  }

  /** The number of its tasks. */
  get load(): number {
    return this.#running.length;
  }

  /** The engine's process id, for operators and tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Starts the engine; resolves when it is first ready. It is restarted even after a rejection, until it is given up.
   * @throws Error if the model can't be loaded at the first attempt, or the device is given up
   */
  start(): Promise<ModelInfo> {
    this.#spawn();
    return this.#firstReady.promise;
  }

  /**
   * Runs one task, for which there has to be room (`takes`). Rejects at once with the signal's reason if that aborts.
   * @param alone true if it must be alone in the engine
   * @param progress receives the done and total units
   * @throws TaskFailure if the task is to blame; Displaced if it has to run again; Suspected if the device or another
   * task may be to blame; ModelUnavailable if it has to be handed back
   */
  run(
    task: EngineTask,
    alone: boolean,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<EngineResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const entry: Entry = { task, alone, resolve, reject, progress, dropped: false };
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
    clearTimeout(this.#startTimer);
    await this.#process?.close();
  }

  #spawn(): void {
    this.#process = new EngineProcess(this.#config, {
      message: (message) => this.#receive(message),
      exit: (how) => this.#exited(how),
    });
    const { taskTimeoutMs } = this.#limits;
    const limitMs = START_LIMITS * taskTimeoutMs + this.#config.options.serverPatienceMs;
    this.#startTimer = setTimeout(() => this.#end({ why: "unready", key: undefined }), limitMs);
  }

  #receive(message: FromEngine): void {
    switch (message.type) {
      case "ready":
        this.#model = message.model;
        this.#problem = null;
        this.#concurrency = message.concurrency;
        clearTimeout(this.#startTimer);
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
      case "able":
        this.#problem = message.problem;
        if (message.problem === null) this.#log.info("model_able");
        else this.#log.warn({ reason: message.problem }, "model_unable");
        this.#on.changed();
        break;
      case "beat":
        this.#watchdog.beat();
        break;
      case "at":
        this.#watchdog.at(message.key, message.stage);
        break;
      case "progress":
        this.#watchdog.reported(message.key);
        this.#running.find(({ task }) => task.key === message.key)?.progress(message.done, message.total);
        break;
      case "done":
        this.#take(message.key)?.resolve(message.result);
        this.#done += 1;
        if (this.#done >= FORGIVEN_AFTER) this.#faults = 0;
        break;
      case "unwell": {
        const { key, reason, detail } = message;
        this.#log.error({ key, reason, detail }, "device_unwell");
        this.#end({ why: "unwell", key });
        break;
      }
      case "refused":
        this.#log.info({ key: message.key, reason: message.reason }, "model_refused");
        this.#take(message.key)?.reject(new ModelUnavailable(message.reason));
        break;
      case "failed": {
        const { key, problem, detail } = message;
        const entry = this.#take(key);
        const failure = new TaskFailure(problem);
        if (detail !== undefined)
          this.#log[failure.retryable ? "error" : "info"]({ key, detail }, "engine_error");
        const doubt = new Doubt(1, failure);
        entry?.reject(mayBeDevices(failure) ? new Suspected(doubt, "one") : failure);
        // A task that is no longer wanted does not run again, so its doubt stays open.
        void this.#unlessExplained(doubt, this.#process);
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
      const { key } = entry.task;
      if (this.#running.includes(entry) && this.#watchdog.foremost === key)
        this.#end({ why: "cancelled", key });
    }, DROP_GRACE_MS);
    grace.unref();
  }

  /** Counts a fault of the device unless a task turns out to be the cause, and restarts the process that had it. */
  async #unlessExplained({ explained }: Doubt, had?: EngineProcess): Promise<void> {
    if ((await explained) || this.#closing) return;
    this.#faulty();
    this.#log.warn({ faults: this.#faults }, "device_doubted");
    if (had !== undefined && this.#process === had) this.#end({ why: "unwell", key: undefined });
  }

  #faulty(): void {
    this.#faults += 1;
    this.#done = 0;
  }

  /** Kills the process; keeps the first reason. */
  #end(kill: Kill): void {
    this.#kill ??= kill;
    this.#process?.kill();
  }

  #exited(how: string): void {
    const inside = this.#running;
    const kill = this.#kill;
    const everReady = this.#model !== undefined;
    this.#model = undefined;
    this.#process = undefined;
    this.#running = [];
    this.#kill = undefined;
    this.#watchdog.clear();
    clearTimeout(this.#startTimer);
    // Canceled tasks were rejected before.
    const wanted = inside.filter(({ dropped }) => !dropped);
    const reasons = outcomesAfterCrash(
      wanted.map(({ task }) => task),
      inside.length,
      kill,
      this.#limits.taskTimeoutMs,
    );
    const doubt = reasons.find((reason) => reason instanceof Suspected)?.doubt;
    // A canceled one may have been the cause.
    if (doubt !== undefined && wanted.length === inside.length) void this.#unlessExplained(doubt);
    // Each goes back to the head of the queue, so the first one goes back last.
    for (const [at, { reject }] of [...wanted.entries()].toReversed()) reject(reasons[at]);
    const keys = inside.map(({ task }) => task.key);
    if (!this.#closing) this.#restart(everReady, { how, keys, killedFor: kill });
    this.#on.changed();
  }

  #restart(wasReady: boolean, ended: { readonly how: string; readonly [fact: string]: unknown }): void {
    if (!wasReady) this.#faulty();
    const faults = this.#faults;
    if (faults >= this.#limits.deviceFaults) {
      this.#isGivenUp = true;
      this.#firstReady.reject(new Error(`It was given up after ${faults} faults (${ended.how}).`));
      this.#log.error({ ...ended, faults }, "device_given_up");
      return;
    }
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** faults, LONGEST_BACKOFF_MS);
    this.#on.restarting();
    this.#log.error({ ...ended, faults, restartInMs: delayMs }, "engine_ended");
    setTimeout(() => {
      if (!this.#closing) this.#spawn();
    }, delayMs);
  }
}

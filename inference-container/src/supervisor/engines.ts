import type { Logger } from "pino";
import { byLane } from "@segmentation/protocol";
import type { Metrics } from "../metrics.ts";
import { ByteCache } from "../models/memory/byte-cache.ts";
import { KeyMemory } from "../key-memory.ts";
import { TaskReturned } from "../failures.ts";
import { Engine, type EngineLimits } from "./engine.ts";
import { Displaced, type Doubt, endedEngine, Suspected } from "./after-crash.ts";
import { bestFor, type Member, soonestEmpty } from "./members.ts";
import type { EngineConfig, EngineResult, EngineTask, ModelInfo } from "../messages.ts";

/**
 * Running a video alone may take hours. The video is blamed instead after this many ends of its engines that none of
 * their pictures caused.
 */
const CLIP_ENDS = 2;
/** The time for which a picture that ended its engine is remembered: as long as its task may be retried. */
const HOSTILE_MS = 86_400_000;
/** The number of pictures that are remembered with their last engine. */
const PICTURES_KNOWN = 1_000;
/** The time for which the service reports that it hands back a task that can't run alone here. */
const RETURN_MS = 10_000;

/** The configuration that all engines share: all but the device. */
type SharedConfig = Omit<EngineConfig, "options"> & {
  readonly options: Omit<EngineConfig["options"], "device">;
};

/** Events of a running task for its caller. */
export interface TaskEvents {
  /** Receives the done and total units. */
  readonly progress: (done: number, total: number) => void;
  /** Receives the task's device, and the next device if the task runs again. */
  readonly given: (device: string) => void;
}

interface Entry {
  readonly task: EngineTask;
  readonly signal: AbortSignal;
  readonly on: TaskEvents;
  readonly resolve: (result: EngineResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly result: Promise<EngineResult>;
  /** True if it must be alone in its engine, because it may end it. */
  alone: boolean;
  /** True if it was in an engine that ended: it has already waited, so it goes first. */
  again: boolean;
  /** The number of ends of a video's engines that no picture explains. */
  ends: number;
  /** The number of times that it alone, or its device, was to blame. */
  failures: number;
  /** The device on which it failed last: another one should try it. */
  failedOn: Member | undefined;
}

/** A device and its state. */
export interface DeviceState {
  /** The CUDA device's id; "cpu" without CUDA. */
  readonly device: string;
  readonly state: "ready" | "starting" | "unable" | "given_up";
  /** The execution provider in actual use; only while its model is loaded. */
  readonly provider?: string;
}

/**
 * One engine per device. Tasks wait here: none waits for a busy engine while another has room. If an engine ends, the
 * others continue, and its tasks that are not to blame run again wherever there is room. If any of several may be to
 * blame, its pictures run alone, one at a time per engine, and only those that end it again fail. A task that failed
 * where the device may be to blame runs once more, on another device if there is one, before it fails.
 */
export class Engines {
  readonly #members: readonly Member[];
  readonly #metrics: Metrics;
  #waiting: Entry[] = [];
  /** The hashes of pictures that ended their engine. Until they succeed, they run alone. */
  readonly #hostile = new KeyMemory(HOSTILE_MS);
  /** The engine that last had a picture, by its hash, and may still have its features. Each counts as one byte. */
  readonly #hadLast = new ByteCache<Member>(PICTURES_KNOWN, () => 1);
  readonly #lost = Promise.withResolvers<never>();

  /** @param devices CUDA device ids; on the CPU a single one, which is ignored */
  constructor(
    config: SharedConfig,
    devices: readonly number[],
    limits: EngineLimits,
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
      return { device, engine: new Engine(own, limits, log.child({ device }), on), usedAt: 0 };
    });
    this.#lost.promise.catch(() => undefined);
  }

  /** Rejects once every device has been given up. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** The number of devices that have not been given up. */
  get inService(): number {
    return this.#inService.length;
  }

  /** The loaded model, or undefined while no engine is ready. */
  get model(): ModelInfo | undefined {
    return this.#members.find(({ engine }) => engine.model !== undefined)?.engine.model;
  }

  /** True if the model of any engine is loaded and able to work. */
  get isAble(): boolean {
    return this.#members.some(({ engine }) => engine.isAble);
  }

  /** The number of pictures that the engines have room for together. */
  get places(): number {
    return this.#inService.reduce((sum, { engine }) => sum + engine.places, 0);
  }

  get devices(): DeviceState[] {
    return this.#members.map(({ device, engine: { model, isAble, isGivenUp } }) =>
      model === undefined
        ? { device, state: isGivenUp ? "given_up" : "starting" }
        : { device, state: isAble ? "ready" : "unable", provider: model.provider },
    );
  }

  /** The process ids of the engines, in the devices' order; undefined for an engine that isn't running. */
  get pids(): (number | undefined)[] {
    return this.#members.map(({ engine }) => engine.pid);
  }

  /** Starts the engines: one promise per device resolves when it is first ready, rejects if it can't load the model at once. */
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
   * Runs one task. Waiting tasks go by lane, then by arrival. Rejects at once with the signal's reason if that aborts.
   * @throws TaskFailure; ModelUnavailable if the task has to be handed back
   */
  run(task: EngineTask, signal: AbortSignal, on: TaskEvents): Promise<EngineResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const alone = task.type === "image" && this.#hostile.has(task.contentHash);
    const state = { result: promise, alone, again: false, ends: 0, failures: 0, failedOn: undefined };
    const entry: Entry = { task, signal, on, resolve, reject, ...state };
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

  get #inService(): Member[] {
    return this.#members.filter(({ engine }) => !engine.isGivenUp);
  }

  #changed(): void {
    const members = this.#inService;
    if (members.length === 0)
      this.#lost.reject(new Error("Every device was given up: the log has a device_given_up for each."));
    let emptying: Member | undefined;
    for (const entry of this.#waiting.toSorted(inOrder)) {
      const { task, alone } = entry;
      const knows = task.type === "image" ? this.#hadLast.get(task.contentHash) : undefined;
      const others = members.filter((member) => member !== entry.failedOn);
      const able = others.some(({ engine }) => engine.model !== undefined) ? others : members;
      const open = able.filter((member) => member !== emptying);
      const member = bestFor(open, task.type, alone, knows);
      if (member !== undefined) void this.#give(entry, member);
      else if (alone) {
        emptying ??= soonestEmpty(able);
        if (emptying === undefined && able.every(({ engine }) => engine.hasClip)) this.#handBack(entry);
      }
    }
    this.#metrics.modelInfo.reset();
    this.#metrics.deviceState.reset();
    for (const { device, state } of this.devices) this.#metrics.deviceState.set({ device, state }, 1);
    for (const { device, engine } of this.#members) {
      this.#metrics.engineTasks.set({ device }, engine.load);
      if (engine.model === undefined) continue;
      const { id, version, provider } = engine.model;
      this.#metrics.modelInfo.set({ id, version, provider }, 1);
    }
  }

  async #give(entry: Entry, member: Member): Promise<void> {
    const { task, alone, signal, on } = entry;
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    if (task.type === "image") this.#hadLast.set(task.contentHash, member);
    member.usedAt = performance.now();
    on.given(member.device);
    try {
      entry.resolve(await member.engine.run(task, alone, signal, on.progress));
      if (task.type === "image") this.#hostile.forget(task.contentHash);
    } catch (error) {
      if (error instanceof Displaced) this.#again(entry);
      else if (error instanceof Suspected) this.#suspect(entry, error, member);
      else this.#fail(entry, error);
    } finally {
      member.usedAt = performance.now();
    }
  }

  #again(entry: Entry): void {
    if (entry.signal.aborted) return;
    entry.again = true;
    this.#waiting.unshift(entry);
    this.#changed();
  }

  /** Runs a suspect again, unless it has failed twice, or once on the only device while that is well. */
  #suspect(entry: Entry, { doubt, of }: Suspected, member: Member): void {
    const isPicture = entry.task.type === "image";
    if (of === "several" && !isPicture) return void this.#clear(entry, doubt);
    void doubt.tried(entry.result);
    if (of !== "several") {
      entry.failures += 1;
      entry.failedOn = member;
      const [first, second] = this.#inService;
      const isOnly = first === member && second === undefined;
      if (entry.failures > 1 || (of === "one" && isOnly)) return this.#fail(entry, doubt.failure);
    }
    // A picture that merely failed ended no engine, and disturbs no other task.
    if (isPicture) entry.alone ||= of === "several" || endedEngine(doubt.failure);
    this.#again(entry);
  }

  /** Holds a video back until the suspects have run: a picture in the same engine may explain the engine's end. */
  async #clear(clip: Entry, doubt: Doubt): Promise<void> {
    if (!(await doubt.explained)) clip.ends += 1;
    if (clip.ends >= CLIP_ENDS) clip.reject(doubt.failure);
    else this.#again(clip);
  }

  #fail({ task, reject }: Entry, error: unknown): void {
    if (task.type === "image" && endedEngine(error)) this.#hostile.add(task.contentHash);
    reject(error);
  }

  /**
   * Every engine has a video that might lose hours of work. The task keeps its attempt, and the Worker offers it again.
   */
  #handBack(entry: Entry): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    entry.reject(new TaskReturned(RETURN_MS));
  }
}

/** Tasks from an engine that ended go first, then lane by lane. */
function inOrder(a: Entry, b: Entry): number {
  return Number(b.again) - Number(a.again) || byLane(a.task.lane, b.task.lane);
}

import { Lane, type TaskRequest, type TaskState } from "@segmentation/protocol";
import type { Metrics } from "../metrics.ts";
import { TaskDropped, TaskReturned } from "../failures.ts";
import { KeyMemory } from "../key-memory.ts";
import { Lanes } from "./lanes.ts";
import type { Queued } from "./lane-queue.ts";
import { Task } from "./task.ts";
import type { Settings } from "../settings.ts";

/** The time for which a stopping service, which has little time left, reports that it hands a task back. */
const STOPPED_MS = 3_000;
/** The same for a task that gives way to another. A lost report costs the task an attempt. */
const GAVE_WAY_MS = 10_000;
/** The most tasks on their way back at once: where reports hang, no more tasks give way. */
const MOST_LEAVING = 64;

/** `queueCapacity` pictures may wait per lane, and as many videos. */
export interface TaskRegistryLimits extends Pick<Settings, "queueCapacity" | "heartbeatMs" | "patienceMs"> {
  /** Tasks that may be between fetch and commit at once; it changes as the model is loaded and devices are given up. */
  readonly inFlight: () => number;
  /** The most videos among them. */
  readonly clips: () => number;
}

/** A finished task's key is remembered, so that a repeated POST does not start it again. */
const FINISHED_MS = 3_600_000;
/** So is a canceled one, because the DELETE may overtake its POST. No proxy delays a request longer than this. */
const CANCELLED_MS = 600_000;

/** The known, waiting and running tasks: bounded lanes in front of a bounded number of places. */
export class TaskRegistry {
  readonly #limits: TaskRegistryLimits;
  readonly #run: (task: Task) => Promise<void>;
  readonly #metrics: Metrics;
  readonly #finished = new KeyMemory(FINISHED_MS);
  readonly #cancelled = new KeyMemory(CANCELLED_MS);
  readonly #lanes: Lanes<TaskRequest>;
  readonly #waiting = new Map<string, Task>();
  readonly #running = new Map<string, Task>();
  /** Aborted before they had a place: only their report is left, if any. */
  readonly #leaving = new Map<string, Task>();
  #whenIdle: (() => void)[] = [];

  /** @param run takes a task from fetch to commit and never rejects */
  constructor(limits: TaskRegistryLimits, run: (task: Task) => Promise<void>, metrics: Metrics) {
    this.#limits = limits;
    this.#lanes = new Lanes(limits.queueCapacity);
    this.#run = run;
    this.#metrics = metrics;
  }

  /**
   * Accepts a task unless its key is already known. Returns its state, or undefined if there is no room. The task may
   * displace a later one, which goes back to the Worker.
   */
  submit(request: TaskRequest): TaskState | undefined {
    const known = this.state(request.key);
    if (known !== undefined) return known;
    if (this.#leaving.size >= MOST_LEAVING && this.#lanes.isFull(request)) return undefined;
    const last = this.#lanes.add(request);
    if (last === request) return undefined;
    const task = new Task(request, this.#limits);
    task.signal.addEventListener("abort", () => this.#leave(task), { once: true });
    this.#waiting.set(request.key, task);
    if (last !== undefined) this.#waiting.get(last.key)?.abort(new TaskReturned(GAVE_WAY_MS));
    this.#pump();
    return this.state(request.key);
  }

  /** Tells for each of these tasks whether it would find room now. */
  room(tasks: readonly Queued[]): boolean[] {
    return this.#lanes.room(tasks, Math.max(0, this.#limits.inFlight() - this.#running.size));
  }

  /** The state of a task; undefined if its key is unknown. */
  state(key: string): TaskState | undefined {
    if (this.#running.has(key) || this.#leaving.has(key)) return { key, state: "running" };
    if (this.#waiting.has(key)) return { key, state: "queued" };
    return this.#finished.has(key) ? { key, state: "done" } : undefined;
  }

  /** The keys of the tasks that are not over. */
  get keys(): string[] {
    return [...this.#running.keys(), ...this.#waiting.keys(), ...this.#leaving.keys()];
  }

  /** Stops a task, without a report. An unknown key is not an error, because its task may be on its way. */
  cancel(key: string): void {
    this.#cancelled.add(key);
    const task = this.#running.get(key) ?? this.#waiting.get(key);
    task?.abort(new TaskDropped("cancelled"));
  }

  /** True if the task was canceled in the last minutes, even before it arrived. */
  isCancelled(key: string): boolean {
    return this.#cancelled.has(key);
  }

  /** True if every place is taken. */
  get busy(): boolean {
    return this.#running.size >= this.#limits.inFlight();
  }

  /** Number of tasks that are not finished. */
  get size(): number {
    return this.#waiting.size + this.#running.size + this.#leaving.size;
  }

  /** Resolves when no task is left. */
  async drained(): Promise<void> {
    if (this.#isIdle) return;
    const idle = Promise.withResolvers<void>();
    this.#whenIdle.push(idle.resolve);
    await idle.promise;
  }

  /**
   * Hands back the tasks that have no place yet.
   * @param withinMs the time for which their reports are repeated, `STOPPED_MS` at least
   */
  returnWaiting(withinMs: number): void {
    const reason = new TaskReturned(Math.max(withinMs, STOPPED_MS));
    for (const task of this.#waiting.values()) task.abort(reason);
  }

  /** Stops all waiting and running tasks, and reports them as handed back. */
  stopAll(): void {
    const reason = new TaskReturned(STOPPED_MS);
    for (const task of [...this.#running.values(), ...this.#waiting.values()]) task.abort(reason);
  }

  get #isIdle(): boolean {
    return this.size === 0;
  }

  /** One video per device, so that no video waits for another's frames and pictures always find a place. */
  #next(): Task | undefined {
    if (this.busy) return undefined;
    const clips = [...this.#running.values()].filter(({ request }) => request.type === "video").length;
    const next = this.#lanes.next(clips < this.#limits.clips() ? undefined : "image");
    return next && this.#waiting.get(next.key);
  }

  #pump(): void {
    for (let task = this.#next(); task !== undefined; task = this.#next()) this.#start(task, this.#running);
    for (const lane of Lane.options) this.#metrics.queueDepth.set({ lane }, this.#lanes.depth(lane));
    this.#metrics.inFlight.set(this.#running.size);
    if (!this.#isIdle) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** A waiting task that is aborted needs no place. */
  #leave(task: Task): void {
    if (!this.#waiting.has(task.request.key)) return;
    this.#lanes.remove(task.request);
    this.#start(task, this.#leaving);
    this.#pump();
  }

  #start(task: Task, among: Map<string, Task>): void {
    const { key } = task.request;
    this.#waiting.delete(key);
    among.set(key, task);
    void this.#run(task).finally(() => {
      among.delete(key);
      this.#finished.add(key);
      this.#pump();
    });
  }
}

import { Lane, type TaskRequest, type TaskState } from "@segmentation/protocol";
import type { Metrics } from "../metrics.ts";
import { TaskDropped } from "./dropped.ts";
import { FinishedKeys } from "./finished.ts";
import { TaskReturned } from "./lease.ts";
import { Task } from "./task.ts";

export interface BoardLimits {
  /** Pictures that may wait per lane, and as many clips. */
  readonly queueCapacity: number;
  /** Tasks that may be between fetch and commit at once. */
  readonly inFlight: number;
  /** Clips that may be among them. */
  readonly clips: number;
  readonly heartbeatMs: number;
  /** How long a report or an upload is repeated while the Worker or the storage fails. */
  readonly patienceMs: number;
}

const isVideo = ({ request }: { readonly request: TaskRequest }): boolean => request.type === "video";

/** The known, waiting and running tasks: bounded lanes in front of a bounded number of places. */
export class Board {
  readonly #limits: BoardLimits;
  readonly #run: (task: Task) => Promise<void>;
  readonly #metrics: Metrics;
  readonly #finished = new FinishedKeys();
  readonly #running = new Map<string, Task>();
  #waiting: Task[] = [];
  #whenIdle: (() => void)[] = [];

  /** @param run takes a task from fetch to commit and never rejects */
  constructor(limits: BoardLimits, run: (task: Task) => Promise<void>, metrics: Metrics) {
    this.#limits = limits;
    this.#run = run;
    this.#metrics = metrics;
  }

  /** Accepts a task unless its key is already known; returns its state, or undefined if there is no room. */
  submit(request: TaskRequest): TaskState | undefined {
    const known = this.state(request.key);
    if (known !== undefined) return known;
    if (this.#isFull(request)) return undefined;
    const task = new Task(request, this.#limits);
    task.signal.addEventListener("abort", () => this.#pump(), { once: true });
    this.#waiting.push(task);
    this.#pump();
    return this.state(request.key);
  }

  /** The state of a task; undefined if its key is unknown. */
  state(key: string): TaskState | undefined {
    if (this.#running.has(key)) return { key, state: "running" };
    if (this.#waiting.some(({ request }) => request.key === key)) return { key, state: "queued" };
    return this.#finished.has(key) ? { key, state: "done" } : undefined;
  }

  /** Stops a task; nothing more is reported for it. An unknown key is not an error. */
  cancel(key: string): void {
    const task = this.#running.get(key) ?? this.#waiting.find(({ request }) => request.key === key);
    task?.abort(new TaskDropped("cancelled"));
  }

  /** Whether every place is taken. */
  get busy(): boolean {
    return this.#running.size >= this.#limits.inFlight;
  }

  /** Resolves when no task waits or runs. */
  async drained(): Promise<void> {
    if (this.#waiting.length + this.#running.size === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#whenIdle.push(idle.resolve);
    await idle.promise;
  }

  /** Stops all waiting and running tasks; they are still reported as handed back. */
  stopAll(): void {
    const reason = new TaskReturned();
    for (const task of [...this.#running.values(), ...this.#waiting]) task.abort(reason);
  }

  /** Clips are counted separately: otherwise clips that wait for hours would keep their lane's pictures out. */
  #isFull(request: TaskRequest): boolean {
    const alike = this.#waiting.filter(
      (task) => task.request.lane === request.lane && isVideo(task) === isVideo({ request }),
    );
    return alike.length >= this.#limits.queueCapacity;
  }

  #depth(lane: Lane): number {
    return this.#waiting.filter(({ request }) => request.lane === lane).length;
  }

  /**
   * An aborted task goes first and needs no place: it only reports, or not even that. Then interactive ones, then by
   * arrival; one clip per device, so that no clip waits for another's frames and pictures always find a place.
   */
  #next(): Task | undefined {
    const aborted = this.#waiting.find(({ signal }) => signal.aborted);
    if (aborted !== undefined || this.busy) return aborted;
    const clips = [...this.#running.values()].filter(isVideo).length;
    const ready = this.#waiting.filter((task) => clips < this.#limits.clips || !isVideo(task));
    return ready.find(({ request }) => request.lane === "interactive") ?? ready[0];
  }

  #pump(): void {
    for (let task = this.#next(); task !== undefined; task = this.#next()) this.#start(task);
    for (const lane of Lane.options) this.#metrics.queueDepth.set({ lane }, this.#depth(lane));
    this.#metrics.inFlight.set(this.#running.size);
    if (this.#waiting.length + this.#running.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #start(task: Task): void {
    const { key } = task.request;
    this.#waiting = this.#waiting.filter((other) => other !== task);
    this.#running.set(key, task);
    void this.#run(task).finally(() => {
      this.#running.delete(key);
      this.#finished.add(key);
      this.#pump();
    });
  }
}

import { newId } from "../../shared/ids.ts";
import { withEvents, milestones } from "../rules/milestones.ts";
import type { JobState } from "../rules/state.ts";
import type { Transition } from "../rules/tasks.ts";
import { nextWake, sendFailed } from "../rules/lifecycle.ts";
import { log } from "../../shared/log.ts";
import type { JobPolicy } from "../rules/policy.ts";
import type { JobStorage } from "../store/storage.ts";
import { Changes } from "./changes.ts";

/** Applies a transition, and sends its effects. Returns the new state if it was taken, else null. */
export type Take = (transition: (state: JobState, now: number) => Transition) => Promise<JobState | null>;

/** A job's state in memory and in storage: it writes every change, with the next alarm, in the same turn. */
export class JobCell {
  /** Stores the state, the outputs of tasks and the progress of an archive. */
  readonly storage: JobStorage;
  readonly #policy: JobPolicy;
  /** Notified at every change of the state. */
  readonly changes = new Changes();
  #state: JobState | null;

  constructor(storage: JobStorage, policy: JobPolicy) {
    this.storage = storage;
    this.#policy = policy;
    this.#state = storage.load();
  }

  get state(): JobState | null {
    return this.#state;
  }

  /**
   * Replaces the state, and records the events of the change. Drops removed progress of an archive, and the annotations of a job
   * that is being forgotten. No other code may run between a caller's reading `state` and this call.
   */
  async commit(next: JobState): Promise<void> {
    const before = this.#state;
    const now = Date.now();
    const reached = milestones(before, next, now);
    const state = withEvents(next, reached, () => newId("evt"), now);
    if (before?.archive?.kept !== undefined && state.archive?.kept === undefined)
      this.storage.clearKeptArchive();
    // A forgotten job may keep its object for hours, until no holder writes outputs any more.
    if (before?.phase === "running" && state.phase !== "running") this.storage.clearAnnotations();
    this.#state = state;
    const wakeAt = nextWake(state, this.#policy, this.storage.alarm.setFor, now);
    await this.storage.save(state, wakeAt);
    this.changes.notify();
    const { jobId, lane } = state.definition;
    for (const { event, ...milestone } of reached) log("info", event, { jobId, lane, ...milestone });
  }

  /** Applies a transition. Returns the new state if it was taken, else null. */
  async take(transition: (state: JobState, now: number) => Transition): Promise<JobState | null> {
    if (this.#state === null) return null;
    const { state, taken } = transition(this.#state, Date.now());
    if (!taken) return null;
    if (state !== this.#state) await this.commit(state);
    return state;
  }

  /** Notes a failure to send. */
  async noteFailure(): Promise<void> {
    await this.take((job, now) => ({ state: sendFailed(job, Math.random(), now), taken: true }));
  }

  /** Sets the next alarm again, after one has gone off or was lost. */
  async rearm(): Promise<void> {
    if (this.#state !== null) await this.commit(this.#state);
  }

  async clear(): Promise<void> {
    await this.storage.clear();
    this.#state = null;
    this.changes.notify();
  }
}

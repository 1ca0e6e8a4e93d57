import { DEFAULT_POLICY, putOffSeconds } from "../../../../src/jobs/rules/policy.ts";
import { isDone, newJob, type JobDefinition, type JobState } from "../../../../src/jobs/rules/state.ts";
import * as tasks from "../../../../src/jobs/rules/tasks.ts";
import { nextWake } from "../../../../src/jobs/rules/lifecycle.ts";
import { DEFAULT_DELAY_MS } from "../../../../src/models/store/inference-client.ts";
import type { Completion, Lane } from "@segmentation/protocol";
import { RETRY_FULL_SECONDS } from "../../../../inference-container/src/tasks/lanes.ts";
import type { Queued } from "../../../../inference-container/src/tasks/lane-queue.ts";
import type { Random } from "../../../../inference-container/test/tracking/random.ts";
import type { Clock } from "./clock.ts";

/** A task at the inference service, and the job that its callbacks reach. */
export interface Offer extends Queued {
  readonly job: SimulatedJob;
  readonly taskId: string;
  readonly lease: number;
}

/**
 * A billed event: a message goes through a queue; a job's object is called, or its alarm goes off, and writes its record and its
 * alarm.
 */
export type Billed = "message" | "object";

/** The environment of all jobs, which carries their messages and offers. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Offers a task to the service that the load balancer picks. */
  readonly offer: (offer: Offer) => "accepted" | "full" | "unreachable";
  /** Returns true if the service that the load balancer picks has room. */
  readonly hasRoom: (task: Queued) => boolean;
  /** Counts a billed event. */
  readonly bill: (what: Billed) => void;
}

/** Time of a message in its queue, in milliseconds: two of the queues collect for a second (wrangler.toml). */
const QUEUE_MS: Readonly<Record<Lane, number>> = { interactive: 50, bulk: 1_050, trial: 1_050 };

const ASKED_MS = { full: RETRY_FULL_SECONDS * 1_000, unreachable: DEFAULT_DELAY_MS } as const;

/** One job by the rules of jobs/rules; its object's alarm, the queue and the consumer are simulated around them. */
export class SimulatedJob {
  readonly #surroundings: Surroundings;
  #state: JobState;
  #wakesAt = Infinity;

  constructor(definition: JobDefinition, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#state = { ...newJob(definition), phase: "running" };
    this.#follow(this.#state);
  }

  /** Reports progress. Returns true if the lease is still in force. */
  extend(taskId: string, lease: number): boolean {
    const report = { done: 0, total: 1 };
    return this.#take((state, now) => tasks.extendTask(state, taskId, lease, report, DEFAULT_POLICY, now));
  }

  complete(taskId: string, lease: number, completion: Completion): void {
    const { now } = this.#surroundings.clock;
    this.#follow(tasks.completeTask(this.#state, taskId, lease, completion, DEFAULT_POLICY, now).state);
  }

  #take(transition: (state: JobState, now: number) => tasks.Transition): boolean {
    const { state, taken } = transition(this.#state, this.#surroundings.clock.now);
    if (taken) this.#follow(state);
    return taken;
  }

  /** Sends the due messages and sets the alarm. The list takes each version at once. */
  #follow(next: JobState): void {
    const { clock } = this.#surroundings;
    const { state, taskIds } = tasks.takeDueTasks(next, DEFAULT_POLICY, clock.now);
    this.#state = { ...state, projected: state.version };
    for (const taskId of taskIds) this.#send(taskId, 0);
    const wakesAt = state.tasks.every(isDone) ? Infinity : this.#nextWake();
    if (wakesAt === this.#wakesAt) return;
    this.#wakesAt = wakesAt;
    if (wakesAt < Infinity) clock.at(wakesAt, () => this.#alarm(wakesAt));
  }

  #nextWake(): number {
    const setFor = this.#wakesAt === Infinity ? null : this.#wakesAt;
    return nextWake(this.#state, DEFAULT_POLICY, setFor, this.#surroundings.clock.now);
  }

  #send(taskId: string, delayMs: number): void {
    const { bill, clock } = this.#surroundings;
    bill("message");
    clock.in(delayMs + QUEUE_MS[this.#state.definition.lane], () => this.#dispatch(taskId));
  }

  #alarm(setFor: number): void {
    // It was set again in the meantime.
    if (setFor !== this.#wakesAt) return;
    this.#surroundings.bill("object");
    this.#wakesAt = Infinity;
    this.#follow(tasks.tickTasks(this.#state, DEFAULT_POLICY, this.#surroundings.clock.now));
  }

  #dispatch(taskId: string): void {
    const { clock, hasRoom, bill } = this.#surroundings;
    const { lane, type, accountId: account, createdAt: acceptedAt } = this.#state.definition;
    if (!hasRoom({ lane, type, account, acceptedAt })) {
      const seconds = putOffSeconds(clock.now - acceptedAt, this.#surroundings.random.between(0, 1));
      return this.#send(taskId, seconds * 1_000);
    }
    bill("object");
    if (!this.#take((state, now) => tasks.claimTask(state, taskId, DEFAULT_POLICY, now))) return;
    const { offer, random } = this.#surroundings;
    const { lastLease: lease } = this.#state;
    bill("object");
    const answer = offer({ lane, type, account, acceptedAt, job: this, taskId, lease });
    this.#take((state, now) =>
      answer === "accepted"
        ? tasks.startTask(state, taskId, lease, now)
        : tasks.releaseTask(state, taskId, lease, ASKED_MS[answer], random.between(0, 1), now),
    );
  }
}

import type { Status } from "../../../../src/shared/api/primitives.ts";
import type { Offer, Report } from "./events.ts";

const LEASE_MS = 60_000;
const URL_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_ATTEMPTS = 3;

interface ModelTask {
  end: "success" | "failed" | null;
  /** The current holder, or the holder that ended the task. */
  lease: number | null;
  deadline: number;
  attempts: number;
  taken: boolean;
  /** The time since which it has found no room. */
  waitsSince: number;
  masks: number;
}

/**
 * A model of a job from outside: no queue, no messages in transit, no phases, no window. It receives the events and returns the
 * answers that the service must give.
 */
export class JobModel {
  readonly tasks: ModelTask[];
  archive: "none" | "asked for" | "ready" = "none";
  archiveExpiresAt = Infinity;
  isDeleted = false;
  /** True once the list has removed the deleted job. */
  isStruck = false;
  /** The time at which the last task ended; null before. */
  endedAt: number | null = null;

  constructor(tasks: number, now: number) {
    this.tasks = Array.from({ length: tasks }, () => ({
      end: null,
      lease: null,
      deadline: 0,
      attempts: 0,
      taken: false,
      waitsSince: now,
      masks: 0,
    }));
  }

  task(index: number): ModelTask {
    const task = this.tasks[index];
    if (task === undefined) throw new Error(`the model has no task ${index}`);
    return task;
  }

  /** Returns true if a message for the task makes a consumer offer it: it has no holder, and it has not ended. */
  isOffered(index: number): boolean {
    const { end, lease } = this.task(index);
    return end === null && lease === null;
  }

  /** Records the offer of the task under this lease, with the inference service's answer `offer`. */
  offered(index: number, lease: number, offer: Offer, now: number): void {
    const task = this.task(index);
    switch (offer) {
      case "takes it":
        Object.assign(task, { lease, deadline: now + LEASE_MS, attempts: task.attempts + 1, taken: true });
        return;
      case "refuses it":
        Object.assign(task, { lease, end: "failed", taken: true });
        return;
      case "is full":
      case "takes it without an answer":
    }
  }

  /** Returns the HTTP status for the report of the holder of `lease`. */
  reported(index: number, lease: number, report: Report, masks: number, now: number): number {
    const task = this.task(index);
    if (this.isDeleted || task.lease !== lease) return 409;
    if (task.end !== null) return report === "progress" ? 409 : 204;
    task.taken = true;
    switch (report) {
      case "progress":
        task.deadline = now + LEASE_MS;
        return 200;
      case "success":
        Object.assign(task, { end: "success", masks });
        return 204;
      case "failed for good":
        task.end = "failed";
        return 204;
      case "failed":
        this.#attemptFailed(task, now);
        return 204;
      case "returned":
        Object.assign(task, { lease: null, attempts: task.attempts - 1, waitsSince: now });
        return 204;
    }
  }

  #attemptFailed(task: ModelTask, now: number): void {
    if (task.attempts >= MOST_ATTEMPTS) task.end = "failed";
    else Object.assign(task, { lease: null, waitsSince: now });
  }

  /** Advances the time. Returns the leases that the inference service must drop. */
  passed(now: number): number[] {
    const lost: number[] = [];
    for (const task of this.tasks) {
      if (task.end !== null) continue;
      if (task.lease === null) {
        if (now >= task.waitsSince + DAY_MS) task.end = "failed";
      } else if (now >= task.deadline) {
        lost.push(task.lease);
        this.#attemptFailed(task, now);
      }
    }
    if (this.archive === "ready" && now >= this.archiveExpiresAt) this.archive = "none";
    return lost;
  }

  /** Returns true if a present or past holder can still write by a URL that it was granted. */
  canWrite(now: number): boolean {
    return this.endedAt === null || now < this.endedAt + URL_MS;
  }

  /**
   * Deletes the job for its account, with or without the database. Returns the HTTP status, and the leases that the inference
   * service must drop.
   */
  deleted(isDatabaseThere: boolean): { status: number; leases: number[] } {
    if (this.isStruck) return { status: 404, leases: [] };
    const leases = this.canceled();
    this.isDeleted = true;
    this.isStruck = isDatabaseThere;
    return { status: isDatabaseThere ? 204 : 500, leases };
  }

  /** Cancels the job. Returns the leases that the inference service must drop. */
  canceled(): number[] {
    const open = this.tasks.filter(({ end }) => end === null);
    const held = open.flatMap(({ lease }) => (lease === null ? [] : [lease]));
    for (const task of open) Object.assign(task, { end: "failed", lease: null });
    return held;
  }

  /** Returns the HTTP status for a request for the archive. */
  archiveAskedFor(): number {
    if (this.isDeleted) return 404;
    if (this.status !== "success") return 409;
    if (this.archive === "none") this.archive = "asked for";
    return 200;
  }

  /** Records that a consumer took a message for the archive. */
  archiveDelivered(now: number): void {
    if (this.archive !== "asked for") return;
    this.archive = "ready";
    this.archiveExpiresAt = now + DAY_MS;
  }

  get hasEnded(): boolean {
    return this.tasks.every(({ end }) => end !== null);
  }

  get succeeded(): number {
    return this.tasks.filter(({ end }) => end === "success").length;
  }

  get status(): Status {
    if (this.hasEnded) return this.succeeded > 0 ? "success" : "failed";
    return this.taskStatuses.every((status) => status === "queued") ? "queued" : "processing";
  }

  get taskStatuses(): Status[] {
    return this.tasks.map(({ end, taken }) => end ?? (taken ? "processing" : "queued"));
  }

  /** The ledger's entries, once the list is current. */
  get entries(): [kind: string, units: number][] {
    const reserved = this.tasks.length;
    const used = this.succeeded;
    const end: [string, number][] = [
      ["settle", used],
      ["release", reserved - used],
    ];
    return [["reserve", reserved], ...(this.hasEnded ? end : [])];
  }
}

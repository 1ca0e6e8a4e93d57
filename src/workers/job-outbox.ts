import * as archives from "../core/job/archive.ts";
import { jobError, jobStatus } from "../core/job/rollup.ts";
import { isDone, type JobState } from "../core/job/state.ts";
import * as tasks from "../core/job/tasks.ts";
import { log, reasonOf } from "../core/log.ts";
import { archivesPrefix, outputsPrefix } from "../core/object-keys.ts";
import type { Platform } from "../platform.ts";
import type { JobCell } from "./job-cell.ts";

const SEND_RETRY_MS = 5_000;

/**
 * What follows from a job's state outside of it: messages, the projection, the purge. Whatever is written down as due is
 * sent at least once, until it is confirmed; the receiver makes it take effect once.
 */
export class JobOutbox {
  readonly #cell: JobCell;
  readonly #platform: Platform;
  #flushing: Promise<void> | null = null;

  constructor(cell: JobCell, platform: Platform) {
    this.#cell = cell;
    this.#platform = platform;
  }

  /** Sends what is due until nothing is left; what fails is due again later. One run at a time. Never throws. */
  async flush(): Promise<void> {
    this.#flushing ??= this.#flushAll()
      .catch((error: unknown) => {
        const jobId = this.#cell.state?.definition.jobId;
        log("error", "outbox_failed", { jobId, reason: reasonOf(error) });
      })
      .finally(() => {
        this.#flushing = null;
      });
    await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    for (;;) {
      const { state } = this.#cell;
      if (state?.phase === "withdrawn" || state?.phase === "expired") return this.#purge(state);
      if (state?.phase !== "running") return;
      const delivered = (await this.sendTasks()) && (await this.#sendArchive());
      await this.#project();
      if (!delivered || this.#cell.state === state) return;
    }
  }

  /** Sends the tasks that are due; false if the queue did not take them. */
  async sendTasks(): Promise<boolean> {
    if (this.#cell.state === null) return true;
    const now = Date.now();
    const { lane, jobId } = this.#cell.state.definition;
    const { state, taskIds } = tasks.takeDueTasks(this.#cell.state, this.#platform.policy, now);
    if (taskIds.length === 0) return true;
    await this.#cell.commit(state);
    return this.#attempt(
      { jobId, lane },
      () => this.#platform.queues.sendTasks(lane, jobId, taskIds),
      (job) => tasks.unsendTasks(job, taskIds, SEND_RETRY_MS, now),
    );
  }

  async #sendArchive(): Promise<boolean> {
    if (this.#cell.state === null) return true;
    const now = Date.now();
    const { jobId } = this.#cell.state.definition;
    const { state, due } = archives.takeDueArchive(this.#cell.state, this.#platform.policy, now);
    if (!due) return true;
    await this.#cell.commit(state);
    return this.#attempt(
      { jobId, lane: "archive" },
      () => this.#platform.queues.sendArchive(jobId),
      (job) => archives.unsendArchive(job, SEND_RETRY_MS, now),
    );
  }

  async #attempt(
    what: { jobId: string; lane: string },
    send: () => Promise<void>,
    undo: (state: JobState) => JobState,
  ): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      log("error", "send_failed", { ...what, reason: reasonOf(error) });
      if (this.#cell.state !== null) await this.#cell.commit(undo(this.#cell.state));
      return false;
    }
  }

  async #project(): Promise<void> {
    const { state } = this.#cell;
    if (state === null || state.projected >= state.version) return;
    const { version, updatedAt, definition } = state;
    const listed = await this.#platform.jobs.project({
      jobId: definition.jobId,
      version,
      status: jobStatus(state.tasks),
      error: jobError(state.tasks),
      updatedAt,
      usedUnits: state.tasks.every(isDone) ? this.#usedUnits(state) : null,
    });
    const latest = this.#cell.state;
    if (latest === null) return;
    // A job that is not listed was withdrawn while this object could not be reached.
    await this.#cell.commit(listed ? { ...latest, projected: version } : { ...latest, phase: "withdrawn" });
  }

  /** The units that the successful tasks used; failed ones are free. */
  #usedUnits({ tasks: records }: JobState): number {
    let units = 0;
    for (const { taskId, step } of records) {
      if (step.at === "success") units += this.#cell.loadOutput(taskId)?.units ?? 0;
    }
    return units;
  }

  async #purge(state: JobState): Promise<void> {
    const { accountId, jobId } = state.definition;
    if (state.phase === "expired") {
      await this.#platform.jobs.retire(jobId, this.#usedUnits(state), state.updatedAt);
    } else {
      await this.#platform.jobs.withdraw(jobId, Date.now());
    }
    await this.#platform.media.deletePrefix(outputsPrefix(accountId, jobId));
    await this.#platform.media.deletePrefix(archivesPrefix(accountId, jobId));
    await this.#cell.clear();
  }
}

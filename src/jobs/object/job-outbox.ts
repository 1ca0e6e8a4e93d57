import type { JobListing } from "../rules/answers.ts";
import * as archives from "../rules/archive.ts";
import { jobCost } from "../rules/cost.ts";
import { withoutEvents } from "../rules/milestones.ts";
import { allSent, hasLateWriters, isEndConfirmed, pushDueAt, pushed } from "../rules/lifecycle.ts";
import { lateWritesMs } from "../rules/policy.ts";
import { jobError, jobStatus } from "../rules/rollup.ts";
import { isDone, type ArchiveUpload, type JobState } from "../rules/state.ts";
import * as tasks from "../rules/tasks.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { archiveKey, archivesPrefix, outputsPrefix } from "../../shared/bucket/object-keys.ts";
import type { Books, Platform } from "../../platform.ts";
import type { JobCell } from "./job-cell.ts";
import type { JobCost } from "../../billing/rules/ledger.ts";

/**
 * The effects of a job's state outside the object: messages, the projection, the purge. Sends everything recorded as due at least
 * once, until it is confirmed; the receiver makes it take effect once.
 */
export class JobOutbox {
  readonly #cell: JobCell;
  readonly #platform: Platform;
  #flushing: Promise<void> | null = null;
  #isLastPurge = false;

  constructor(cell: JobCell, platform: Platform) {
    this.#cell = cell;
    this.#platform = platform;
  }

  /** Returns the stores of the account's database. */
  get #books(): Books {
    return this.#platform.at(this.#cell.state?.definition.database);
  }

  /** Sends everything due; a failed part is due again later. One run at a time. Never throws. */
  async flush(): Promise<void> {
    this.#flushing ??= this.#flushOnce()
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        this.#flushing = null;
      });
    await this.#flushing;
  }

  #logFailure(error: unknown): void {
    const jobId = this.#cell.state?.definition.jobId;
    log("error", "outbox_failed", { jobId, reason: reasonOf(error) });
  }

  async #flushOnce(): Promise<void> {
    let isSent = false;
    try {
      isSent = await this.#flushAll();
    } catch (error) {
      this.#logFailure(error);
    }
    if (isSent) await this.#cell.take((job) => ({ state: allSent(job), taken: true }));
    else await this.#cell.noteFailure();
  }

  /** Returns true if the queues took everything due. @throws any error of the database and the bucket. */
  async #flushAll(): Promise<boolean> {
    for (;;) {
      const { state } = this.#cell;
      if (state?.phase === "withdrawn" || state?.phase === "expired") await this.#purge();
      if (state?.phase !== "running") return true;
      const isSent = (await this.sendTasks()) && (await this.#sendArchive());
      await this.#project();
      await this.#abortUploads();
      if (!isSent || this.#cell.state === state) return isSent;
    }
  }

  /** The job as the list and the ledger should have it. */
  listing(): JobListing | null {
    const { state } = this.#cell;
    if (state === null) return null;
    const { definition, phase, version, projected, updatedAt } = state;
    return {
      definition,
      phase,
      version,
      projected,
      status: jobStatus(state.tasks),
      error: jobError(state.tasks),
      updatedAt,
      cost: state.tasks.every(isDone) ? this.#cost(state) : null,
    };
  }

  /**
   * Sends the due tasks; false if the queue did not take them. Counts them as sent afterward: if the object dies in between, it
   * sends them again, and a repeated message has one effect.
   */
  async sendTasks(): Promise<boolean> {
    if (this.#cell.state === null) return true;
    const now = Date.now();
    const { policy, queues } = this.#platform;
    const { definition } = this.#cell.state;
    const { lane, jobId } = definition;
    const { taskIds } = tasks.takeDueTasks(this.#cell.state, policy, now);
    if (taskIds.length === 0) return true;
    return this.#attempt(
      { jobId, lane },
      () => queues.sendTasks(lane, jobId, taskIds, definition),
      (job) => tasks.tasksSent(job, taskIds, policy, now),
    );
  }

  async #sendArchive(): Promise<boolean> {
    if (this.#cell.state === null) return true;
    const now = Date.now();
    const { policy, queues } = this.#platform;
    const { jobId } = this.#cell.state.definition;
    if (!archives.takeDueArchive(this.#cell.state, policy, now).due) return true;
    return this.#attempt(
      { jobId, lane: "archive" },
      () => queues.sendArchive(jobId),
      (job) => archives.takeDueArchive(job, policy, now).state,
    );
  }

  async #attempt(
    what: { jobId: string; lane: string },
    send: () => Promise<void>,
    sent: (state: JobState) => JobState,
  ): Promise<boolean> {
    try {
      await send();
    } catch (error) {
      log("error", "send_failed", { ...what, reason: reasonOf(error) });
      return false;
    }
    await this.#cell.take((job) => ({ state: sent(job), taken: true }));
    return true;
  }

  /** Purges a job that is being forgotten now, and only once: the caller takes care of late writers. Never throws. */
  async purgeForGood(): Promise<void> {
    this.#isLastPurge = true;
    await this.flush();
  }

  /** Removes an expired job from the list, once, and settles its usage. @throws any error of the database. */
  async strike(): Promise<void> {
    const { state } = this.#cell;
    if (state === null || state.struck) return;
    const { jobId } = state.definition;
    await this.#books.jobs.retire(jobId, this.#cost(state), state.updatedAt, isEndConfirmed(state));
    if (this.#cell.state !== null) await this.#cell.commit({ ...this.#cell.state, struck: true });
  }

  /** Pushes the projection of a running job now, even if the list confirmed it: the list may have lost it. Never throws. */
  async pushAgain(): Promise<void> {
    try {
      if (this.#cell.state?.phase === "running") await this.#push();
    } catch (error) {
      this.#logFailure(error);
    }
  }

  async #project(): Promise<void> {
    const due = this.#cell.state && pushDueAt(this.#cell.state);
    if (due !== null && due <= Date.now()) await this.#push();
  }

  async #push(): Promise<void> {
    const { state } = this.#cell;
    const listing = this.listing();
    if (state === null || listing === null) return;
    const { version, status, error, updatedAt, cost } = listing;
    const { jobId } = listing.definition;
    const again = isEndConfirmed(state);
    const projection = { jobId, version, status, error, updatedAt, cost, again };
    const { acceptance, mayHaveEndpoints } = await this.#books.jobs.project(projection);
    const latest = this.#cell.state;
    if (latest === null) return;
    const job = mayHaveEndpoints ? latest : withoutEvents(latest, latest.events ?? []);
    const after = pushed(job, version, acceptance, Date.now());
    if (acceptance !== "listed" && after.phase === "running") log("error", "job_unlisted", { jobId });
    await this.#cell.commit(after);
  }

  /**
   * Aborts abandoned uploads, and deletes the files of late builders. Tries a failed abort again after the job's next event; R2
   * itself aborts an upload after seven days.
   */
  async #abortUploads(): Promise<void> {
    for (;;) {
      const { state } = this.#cell;
      const upload = state?.abandonedUploads?.[0];
      if (state === null || upload === undefined || !(await this.#abort(state, upload))) return;
      if (this.#cell.state === null) return;
      await this.#cell.commit(archives.abortedUpload(this.#cell.state, upload.uploadId));
    }
  }

  async #abort({ definition }: JobState, { lease, uploadId }: ArchiveUpload): Promise<boolean> {
    const { accountId, jobId } = definition;
    const key = archiveKey(accountId, jobId, lease);
    try {
      await this.#platform.media.abortParts(key, uploadId);
      await this.#platform.media.delete([key]);
      return true;
    } catch (error) {
      log("warn", "archive_abort_failed", { jobId, lease, reason: reasonOf(error) });
      return false;
    }
  }

  #cost(state: JobState): JobCost {
    return jobCost(state, (taskId) => this.#cell.storage.loadOutput(taskId));
  }

  /**
   * Deletes the job's files in the bucket, and forgets it. While a late holder may still write, deletes them twice: now, and once
   * no holder can write. Removes the last row after the files, so a job with remaining files can always be found.
   */
  async #purge(): Promise<void> {
    const { state } = this.#cell;
    if (state === null || (!this.#isLastPurge && Date.now() < (state.purgeAgainAt ?? 0))) return;
    const { accountId, jobId } = state.definition;
    if (state.phase === "expired") await this.strike();
    for (const upload of archives.archiveUploads(state)) await this.#abort(state, upload);
    const prefixes = [outputsPrefix(accountId, jobId), archivesPrefix(accountId, jobId)];
    let files = 0;
    for (const prefix of prefixes) files += (await this.#platform.media.deletePrefix(prefix)).deleted;
    if (state.phase === "withdrawn") await this.#books.jobs.withdraw(jobId, Date.now());
    const purge = state.purgeAgainAt === undefined ? "first" : "second";
    log("info", "job_purged", { jobId, phase: state.phase, purge, files });

    const latest = this.#cell.state;
    if (latest === null) return;
    const { policy } = this.#platform;
    const now = Date.now();
    if (!this.#isLastPurge && purge === "first" && hasLateWriters(latest, policy, now)) {
      return this.#cell.commit({ ...latest, purgeAgainAt: now + lateWritesMs(policy) });
    }
    if (latest.phase === "expired") await this.#books.jobs.forget(jobId);
    await this.#cell.clear();
  }
}

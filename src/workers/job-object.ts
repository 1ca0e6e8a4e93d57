import { DurableObject } from "cloudflare:workers";
import type { JobType } from "../contract/primitives.ts";
import type { ArchiveAnswer, JobAnswer, SettledJob, TaskClaim } from "../core/job/answers.ts";
import * as archives from "../core/job/archive.ts";
import { jobProgress } from "../core/job/progress.ts";
import { archiveView, jobStatus, jobView } from "../core/job/rollup.ts";
import { newJob, type JobDefinition, type JobState, type TaskRecord } from "../core/job/state.ts";
import * as tasks from "../core/job/tasks.ts";
import { log, reasonOf } from "../core/log.ts";
import { archiveKey } from "../core/object-keys.ts";
import type { Env } from "../env.ts";
import type { Completion, ProgressReport } from "../inference/protocol.ts";
import { JobStorage } from "../stores/job-storage.ts";
import { platformOf, type Platform } from "../stores/platform.ts";
import { JobCell } from "./job-cell.ts";
import { JobOutbox } from "./job-outbox.ts";
import { watchOver } from "./job-watchdog.ts";

interface JobParts {
  readonly platform: Platform;
  readonly cell: JobCell;
  readonly outbox: JobOutbox;
}

const BROKEN_RETRY_MS = 60_000;

/**
 * The truth of one job. Each method is a transition by the pure rules of core/job, written in the same turn; the
 * outbox then sends what follows from it. Questions of an account are answered with null where the job is not its own.
 */
export class JobObject extends DurableObject<Env> {
  #parts: JobParts | null = null;

  /** Made at the first use and not by the constructor: a wrong setting must not cost the alarm, see there. */
  get #open(): JobParts {
    if (this.#parts !== null) return this.#parts;
    const platform = platformOf(this.env);
    const cell = new JobCell(new JobStorage(this.ctx.storage), platform.policy);
    this.#parts = { platform, cell, outbox: new JobOutbox(cell, platform) };
    return this.#parts;
  }

  get #platform(): Platform {
    return this.#open.platform;
  }

  get #cell(): JobCell {
    return this.#open.cell;
  }

  get #outbox(): JobOutbox {
    return this.#open.outbox;
  }

  /** Writes the job down. Until `accept` it is in no list, and the alarm finds out what became of it. */
  async prepare(definition: JobDefinition): Promise<void> {
    if (this.#cell.state === null) await this.#cell.commit(newJob(definition));
  }

  /** The job is listed: its first messages are sent. False, and the job is withdrawn, where the queue takes none. */
  async accept(): Promise<boolean> {
    const { state } = this.#cell;
    if (state?.phase === "running") return true;
    if (state?.phase !== "prepared") return false;
    await this.#cell.commit({ ...state, phase: "running", projected: Math.max(state.projected, 1) });
    if (await this.#outbox.sendTasks()) return true;
    await this.withdraw();
    return false;
  }

  /** Forgets the job and everything that it left behind, now or as soon as that can be done. */
  async withdraw(): Promise<void> {
    if (this.#cell.state === null) return;
    await this.#cell.commit({ ...this.#cell.state, phase: "withdrawn" });
    await this.#outbox.flush();
  }

  /** How the job is doing. */
  status(accountId: string): JobAnswer | null {
    const state = this.#ownedBy(accountId);
    return state && { status: jobView(state), progress: jobProgress(state.tasks) };
  }

  /** The outputs of a successful job; "not_ready" of any other. */
  result(accountId: string): SettledJob | "not_ready" | null {
    const state = this.#ownedBy(accountId);
    if (state === null) return null;
    return jobStatus(state.tasks) === "success" ? this.#settled(state) : "not_ready";
  }

  /** A consumer takes a task; null where it is to be skipped: done, held by another, or of no job. */
  async claimTask(taskId: string): Promise<TaskClaim | null> {
    const state = await this.#take((job, now) => tasks.claimTask(job, taskId, this.#platform.policy, now));
    const step = this.#task(taskId)?.step;
    if (state === null || step?.at !== "leased") return null;
    return { definition: state.definition, lease: step.lease, deadline: step.deadline };
  }

  /** The inference service had no room: the task is sent again after `delayMs`, no attempt burned. */
  async releaseTask(taskId: string, lease: number, delayMs: number): Promise<void> {
    await this.#take((job, now) => tasks.releaseTask(job, taskId, lease, delayMs, now));
  }

  /** The inference service took the task. */
  async startTask(taskId: string, lease: number): Promise<void> {
    await this.#take((job, now) => tasks.startTask(job, taskId, lease, now));
  }

  /** What the holder of a lease works on; null where the lease is no longer in force. */
  holding(taskId: string, lease: number): JobDefinition | null {
    const step = this.#task(taskId)?.step;
    return step?.at === "leased" && step.lease === lease ? (this.#cell.state?.definition ?? null) : null;
  }

  /** The holder is at work: the new deadline, and of which type its job is; null where the lease is not in force. */
  async extendTask(
    taskId: string,
    lease: number,
    report: ProgressReport,
  ): Promise<{ deadline: number; type: JobType; advanced: boolean } | null> {
    const { policy } = this.#platform;
    const before = this.#task(taskId)?.progress;
    const state = await this.#take((job, now) => tasks.extendTask(job, taskId, lease, report, policy, now));
    const { step, progress } = this.#task(taskId) ?? {};
    if (state === null || step?.at !== "leased" || step.lease !== lease) return null;
    const advanced = progress?.lease !== before?.lease || progress?.done !== before?.done;
    return { deadline: step.deadline, type: state.definition.type, advanced };
  }

  /** The holder reports the end. */
  async completeTask(taskId: string, lease: number, completion: Completion): Promise<tasks.Reported> {
    const { policy } = this.#platform;
    let report: tasks.Reported = { reported: "lease_lost" };
    await this.#take((job, now) => {
      const moved = tasks.completeTask(job, taskId, lease, completion, policy, now);
      ({ report } = moved);
      const ended = report.reported === "ended";
      if (ended && completion.outcome === "success") {
        this.#cell.saveOutput(taskId, completion.output);
      }
      return { state: moved.state, taken: ended };
    });
    return report;
  }

  /** The account asks for the archive: one is started unless there is one. */
  async requestArchive(accountId: string): Promise<ArchiveAnswer> {
    if (this.#ownedBy(accountId) === null) return null;
    const state = await this.#take(archives.requestArchive);
    return state === null ? "not_downloadable" : this.#archiveReply(state);
  }

  /** The archive's state; "not_requested" where nobody asked for it. */
  archive(accountId: string): ArchiveAnswer {
    const state = this.#ownedBy(accountId);
    return state && this.#archiveReply(state);
  }

  /** A consumer takes the archive to build it; null where it is to be skipped. */
  async claimArchive(): Promise<{ job: SettledJob; lease: number } | null> {
    const state = await this.#take((job, now) => archives.claimArchive(job, this.#platform.policy, now));
    const step = state?.archive?.step;
    return state === null || step?.at !== "leased" ? null : { job: this.#settled(state), lease: step.lease };
  }

  /** The builder is at work; false where its lease is no longer in force. */
  async extendArchive(lease: number): Promise<boolean> {
    const { policy } = this.#platform;
    return (await this.#take((job, now) => archives.extendArchive(job, lease, policy, now))) !== null;
  }

  /** The builder reports the end; false where its lease is no longer in force and the report was refused. */
  async completeArchive(lease: number, outcome: archives.ArchiveOutcome): Promise<boolean> {
    const { policy } = this.#platform;
    return (
      (await this.#take((job, now) => archives.completeArchive(job, lease, outcome, policy, now))) !== null
    );
  }

  /** Pushes what the account's list lacks, now; false where there is no job to push anything of. */
  async sync(): Promise<boolean> {
    await this.#outbox.flush();
    return this.#cell.state !== null;
  }

  /**
   * The watchdog and the outbox's second try. An alarm that throws too often is gone for good, and its job with it:
   * this one never does, not even while a setting is missing.
   */
  override async alarm(): Promise<void> {
    try {
      await watchOver(this.#cell, this.#platform, (work) => this.ctx.waitUntil(work));
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
    }
    try {
      await this.#outbox.flush();
      await this.#cell.rearm();
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
      await this.ctx.storage.setAlarm(Date.now() + BROKEN_RETRY_MS);
    }
  }

  #task(taskId: string): TaskRecord | undefined {
    return this.#cell.state?.tasks.find((task) => task.taskId === taskId);
  }

  #ownedBy(accountId: string): JobState | null {
    const { state } = this.#cell;
    return state?.phase === "running" && state.definition.accountId === accountId ? state : null;
  }

  async #take(transition: (state: JobState, now: number) => tasks.Transition): Promise<JobState | null> {
    const state = await this.#cell.take(transition);
    this.ctx.waitUntil(this.#outbox.flush());
    return state;
  }

  #settled(state: JobState): SettledJob {
    const settled = state.tasks.flatMap(({ taskId, step }) => {
      const output = step.at === "success" ? this.#cell.loadOutput(taskId) : null;
      return step.at === "success" && output !== null ? [{ taskId, lease: step.lease, output }] : [];
    });
    return { definition: state.definition, tasks: settled };
  }

  #archiveReply({ definition, archive }: JobState): Exclude<ArchiveAnswer, null> {
    if (archive === null) return "not_requested";
    const { accountId, jobId } = definition;
    const { step } = archive;
    const readyKey = step.at === "ready" ? archiveKey(accountId, jobId, step.lease) : null;
    return { view: archiveView(jobId, archive), readyKey };
  }
}

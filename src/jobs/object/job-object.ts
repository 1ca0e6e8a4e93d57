import { DurableObject } from "cloudflare:workers";
import type { JobReport } from "../contract/job-report.ts";
import type {
  ArchiveAnswer,
  ArchiveClaim,
  CanceledJob,
  ContinuedJob,
  FinishedJob,
  FinishedPage,
  FinishedTask,
  FullJobAnswer,
  JobListing,
  KeptArchive,
  MaskAsked,
  StoredMask,
  TaskClaim,
} from "../rules/answers.ts";
import * as archives from "../rules/archive.ts";
import { forgotten, decided } from "../rules/lifecycle.ts";
import { askedOf, jobProgress, jobReport, archiveView, jobStatus, jobView } from "../rules/rollup.ts";
import {
  isDone,
  newJob,
  ownedBy,
  type JobDefinition,
  type JobState,
  type TaskRecord,
} from "../rules/state.ts";
import * as tasks from "../rules/tasks.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { archiveKey } from "../../shared/bucket/object-keys.ts";
import { storedMask } from "../rules/result.ts";
import type { Env } from "../../env.ts";
import { filesOf, type Completion, type ProgressReport } from "@segmentation/protocol";
import type { ExtendedTask, JobRpc } from "../store/rpc.ts";
import { JobStorage } from "../store/storage.ts";
import { platformOf, type Platform } from "../../platform.ts";
import { JobCell } from "./job-cell.ts";
import { JobEvents } from "./job-events.ts";
import { JobOutbox } from "./job-outbox.ts";
import { JobWaiters, StreamPlaces } from "./job-waiters.ts";
import { cancelLeases, onAlarm } from "./job-alarm.ts";

interface JobParts {
  readonly platform: Platform;
  readonly cell: JobCell;
  readonly outbox: JobOutbox;
  readonly waiters: JobWaiters;
  readonly events: JobEvents;
}

const BROKEN_RETRY_MS = 60_000;
/** Files on a page of a result, unless one task has more. */
const FILES_A_PAGE = 1_000;

/**
 * The truth of one job: the methods of JobRpc. Each is a transition by the pure rules of core/jobs, written in the same
 * turn; the outbox then sends what follows from it.
 */
export class JobObject extends DurableObject<Env> implements JobRpc {
  #parts: JobParts | null = null;
  #accepting: Promise<boolean> | null = null;
  readonly #storage = new JobStorage(this.ctx.storage);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#storage.alarm.load());
  }

  /** Made at first use and not by the constructor: a wrong setting must not cost the alarm (see `alarm`). */
  get #open(): JobParts {
    if (this.#parts !== null) return this.#parts;
    const platform = platformOf(this.env);
    const cell = new JobCell(this.#storage, platform.policy);
    const places = new StreamPlaces((count) => this.#sayStreams(count));
    this.#parts = {
      platform,
      cell,
      outbox: new JobOutbox(cell, platform),
      events: new JobEvents(cell, platform),
      waiters: new JobWaiters(cell, this, places),
    };
    this.ctx.waitUntil(this.#restoreAlarm(cell));
    return this.#parts;
  }

  /** A job without an alarm would never be processed again: the first call in the object's life sets it. */
  async #restoreAlarm(cell: JobCell): Promise<void> {
    try {
      if (cell.state !== null && cell.storage.alarm.setFor === null) await cell.rearm();
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
    }
  }

  /** If the account's count can't be reached, nobody is refused: the job's own limit remains. */
  async #sayStreams(count: number): Promise<boolean> {
    const { definition } = this.#cell.state ?? {};
    if (definition === undefined) return true;
    const { accountId, jobId } = definition;
    try {
      return await this.#platform.accountStreams(accountId).say(jobId, count);
    } catch (error) {
      log("warn", "streams_uncounted", { jobId, reason: reasonOf(error) });
      return true;
    }
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

  /** Questions whose answer may take as long as the job: store/questions.ts. */
  override fetch(request: Request): Promise<Response> {
    return this.#open.waiters.answer(request);
  }

  async prepare(definition: JobDefinition): Promise<void> {
    if (this.#cell.state === null) await this.#cell.commit(newJob(definition));
  }

  /** Shared by all callers while it is in progress: none of them may get a yes before the queue has taken the tasks. */
  accept(): Promise<boolean> {
    this.#accepting ??= this.#accept().finally(() => {
      this.#accepting = null;
    });
    return this.#accepting;
  }

  async #accept(): Promise<boolean> {
    const { state } = this.#cell;
    if (state?.phase === "running" || state?.phase === "expired") return true;
    if (state?.phase !== "prepared") return false;
    await this.#cell.commit({ ...state, phase: "running", projected: Math.max(state.projected, 1) });
    const sent = await this.#outbox.sendTasks();
    const latest = this.#cell.state;
    if (latest?.phase === "expired") return true;
    if (latest?.phase !== "running") return false;
    // A queue that seemed to fail, or the alarm's second try meanwhile, may have reached a consumer after all.
    if (sent || latest.lastLease > 0) return true;
    await this.withdraw();
    return false;
  }

  async withdraw(): Promise<void> {
    const { state } = this.#cell;
    if (state === null) return;
    // One that has expired was accepted: it is being forgotten, and what it used stays settled.
    if (state.phase !== "expired") await this.#cell.commit({ ...state, phase: "withdrawn" });
    await this.#flush();
  }

  async erase(): Promise<"erased" | "left" | "unknown"> {
    const { state } = this.#cell;
    if (state === null) return "unknown";
    await this.#forget(state);
    await this.#outbox.purgeForGood();
    return this.#cell.state === null ? "erased" : "left";
  }

  async delete(accountId: string): Promise<boolean> {
    await this.#decide(accountId);
    const { state } = this.#cell;
    if (state?.definition.accountId !== accountId) return false;
    // Until the list has struck it, the account may still find it there.
    const isListed = state.phase === "running" || (state.phase === "expired" && !state.struck);
    if (!isListed) return false;
    await this.#forget(state);
    await this.#outbox.strike();
    this.ctx.waitUntil(this.#flush());
    return true;
  }

  async #forget(state: JobState): Promise<void> {
    const after = forgotten(state, Date.now());
    if (after === state) return;
    await this.#cell.commit(after);
    this.ctx.waitUntil(cancelLeases(this.#platform, state));
  }

  status(accountId: string): FullJobAnswer | null {
    const state = ownedBy(this.#cell.state, accountId);
    return (
      state && {
        status: jobView(state),
        progress: jobProgress(state.tasks),
        asked: askedOf(state),
      }
    );
  }

  resultPage(accountId: string, from: number, isSoFar: boolean): FinishedPage | "not_ready" | null {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return null;
    const status = jobStatus(state.tasks);
    if (status === "failed" || (status !== "success" && !isSoFar)) return "not_ready";
    const page: FinishedTask[] = [];
    let next: number | null = null;
    let files = 0;
    for (const [i, task] of state.tasks.entries()) {
      const finished = i < from ? null : this.#finishedTask(task);
      if (finished === null) continue;
      files += filesOf(finished.output).length;
      if (next === null && (page.length === 0 || files <= FILES_A_PAGE)) page.push(finished);
      else next ??= i;
      // All files are counted once, for the first page.
      if (next !== null && from > 0) break;
    }
    return { definition: state.definition, tasks: page, next, files };
  }

  continued(accountId: string): ContinuedJob | null {
    const { definition } = ownedBy(this.#cell.state, accountId) ?? {};
    if (definition === undefined) return null;
    return { firstJobId: definition.continues ?? definition.jobId, taskIds: definition.taskIds };
  }

  masks(accountId: string, asked: readonly MaskAsked[]): (StoredMask | null)[] | "not_ready" | null {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return null;
    if (jobStatus(state.tasks) !== "success") return "not_ready";
    const named = state.tasks.filter(({ taskId }) => asked.some((mask) => mask.taskId === taskId));
    const job = this.#finished({ ...state, tasks: named });
    return asked.map((mask) => storedMask(job, mask));
  }

  async cancel(accountId: string | null): Promise<CanceledJob | null> {
    if (accountId !== null) await this.#decide(accountId);
    const before = accountId === null ? this.#cell.state : ownedBy(this.#cell.state, accountId);
    if (before === null) return null;
    const after = await this.#cell.take(tasks.cancelTasks);
    if (after === null) return { status: jobView(before), canceledTasks: 0 };
    this.ctx.waitUntil(cancelLeases(this.#platform, before));
    // The account may have its next job at once, if the database can be reached now.
    await this.#flush();
    return { status: jobView(after), canceledTasks: before.tasks.filter((task) => !isDone(task)).length };
  }

  async cancelUnbegun(): Promise<void> {
    await this.#cell.take(tasks.cancelUnbegun);
    await this.#flush();
  }

  async claimTask(taskId: string): Promise<TaskClaim | null> {
    const state = await this.#take((job, now) => tasks.claimTask(job, taskId, this.#platform.policy, now));
    const step = this.#task(taskId)?.step;
    if (state === null || step?.at !== "leased") return null;
    return { definition: state.definition, lease: step.lease, deadline: step.deadline };
  }

  async releaseTask(taskId: string, lease: number, askedMs: number): Promise<void> {
    await this.#take((job, now) => tasks.releaseTask(job, taskId, lease, askedMs, Math.random(), now));
  }

  async startTask(taskId: string, lease: number): Promise<void> {
    await this.#take((job, now) => tasks.startTask(job, taskId, lease, now));
  }

  holding(taskId: string, lease: number): JobDefinition | null {
    const { state } = this.#cell;
    const step = this.#task(taskId)?.step;
    const isHeld = state?.phase === "running" && step?.at === "leased" && step.lease === lease;
    return isHeld ? state.definition : null;
  }

  async extendTask(taskId: string, lease: number, report: ProgressReport): Promise<ExtendedTask | null> {
    const { policy } = this.#platform;
    const before = this.#task(taskId)?.progress;
    const state = await this.#take((job, now) => tasks.extendTask(job, taskId, lease, report, policy, now));
    const { step, progress } = this.#task(taskId) ?? {};
    if (state === null || step?.at !== "leased" || step.lease !== lease) return null;
    const advanced = progress?.lease !== before?.lease || progress?.done !== before?.done;
    return { deadline: step.deadline, type: state.definition.type, advanced };
  }

  async completeTask(taskId: string, lease: number, completion: Completion): Promise<tasks.Reported> {
    const { policy } = this.#platform;
    let report: tasks.Reported = { reported: "lease_lost" };
    await this.#take((job, now) => {
      const moved = tasks.completeTask(job, taskId, lease, completion, policy, now);
      ({ report } = moved);
      const ended = report.reported === "ended";
      if (ended && completion.outcome === "success") {
        this.#cell.storage.saveOutput(taskId, completion.output);
      }
      return { state: moved.state, taken: ended };
    });
    return report;
  }

  async requestArchive(accountId: string): Promise<ArchiveAnswer> {
    if (ownedBy(this.#cell.state, accountId) === null) return null;
    const state = await this.#take(archives.requestArchive);
    return state === null ? "not_downloadable" : this.#archiveReply(state);
  }

  archive(accountId: string): ArchiveAnswer {
    const state = ownedBy(this.#cell.state, accountId);
    return state && this.#archiveReply(state);
  }

  async claimArchive(): Promise<ArchiveClaim | null> {
    const state = await this.#take((job, now) => archives.claimArchive(job, this.#platform.policy, now));
    const step = state?.archive?.step;
    if (state === null || step?.at !== "leased") return null;
    const { messages = 0, upload = null, kept } = state.archive ?? {};
    return {
      job: this.#finished(state),
      lease: step.lease,
      messages,
      upload,
      kept: kept === undefined ? null : this.#cell.storage.loadKeptArchive(),
    };
  }

  async extendArchive(lease: number): Promise<boolean> {
    const { policy } = this.#platform;
    return (await this.#take((job, now) => archives.extendArchive(job, lease, policy, now))) !== null;
  }

  async beginArchiveUpload(lease: number, uploadId: string): Promise<boolean> {
    return (await this.#take((job) => archives.beginArchiveUpload(job, lease, uploadId))) !== null;
  }

  async keepArchive(lease: number, files: number, kept: KeptArchive): Promise<boolean> {
    const { policy } = this.#platform;
    const state = await this.#take((job, now) => {
      const moved = archives.keepArchive(job, lease, files, policy, now);
      if (moved.taken) this.#cell.storage.saveKeptArchive(kept);
      return moved;
    });
    return state !== null;
  }

  async completeArchive(lease: number, outcome: archives.ArchiveOutcome): Promise<boolean> {
    const { policy } = this.#platform;
    return (
      (await this.#take((job, now) => archives.completeArchive(job, lease, outcome, policy, now))) !== null
    );
  }

  async sync(): Promise<boolean> {
    // The list has lost the end of a job that it still has as in progress.
    const { state } = this.#cell;
    if (state?.tasks.every(isDone)) await this.#outbox.pushAgain();
    await this.#flush();
    return this.#cell.state !== null;
  }

  async wake(): Promise<boolean> {
    if (this.#cell.state === null) return false;
    await this.#outbox.pushAgain();
    await this.alarm();
    return true;
  }

  async report(): Promise<JobReport | null> {
    const { state } = this.#cell;
    return state && jobReport(state, await this.ctx.storage.getAlarm(), this.#open.waiters.count);
  }

  listing(): JobListing | null {
    return this.#outbox.listing();
  }

  async moveTo(database: string): Promise<void> {
    const { state } = this.#cell;
    if (state === null || state.definition.database === database) return;
    await this.#cell.commit({ ...state, definition: { ...state.definition, database } });
  }

  /**
   * What time does to the job, and the outbox's second try. The platform drops an alarm that throws too often, and the
   * job would be lost with it: this one never throws, not even while a setting is missing.
   */
  override async alarm(): Promise<void> {
    this.#storage.alarm.wentOff();
    try {
      await onAlarm(this.#cell, this.#platform, (work) => this.ctx.waitUntil(work));
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
    }
    try {
      await this.#flush();
      await this.#cell.rearm();
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
      await this.#storage.alarm.set(Date.now() + BROKEN_RETRY_MS);
    }
  }

  #task(taskId: string): TaskRecord | undefined {
    return this.#cell.state?.tasks.find((task) => task.taskId === taskId);
  }

  /** A job whose acceptance is in doubt may be in its account's list already: if so, it counts as accepted from now on. */
  async #decide(accountId: string): Promise<void> {
    const { state } = this.#cell;
    if (state?.phase !== "prepared" || state.definition.accountId !== accountId) return;
    const { jobId, database } = state.definition;
    const standing = await this.#platform.at(database).jobs.standing(jobId);
    const latest = this.#cell.state;
    if (latest?.phase === "prepared" && standing === "listed")
      await this.#cell.commit(decided(latest, standing));
  }

  async #take(transition: (state: JobState, now: number) => tasks.Transition): Promise<JobState | null> {
    const state = await this.#cell.take(transition);
    this.ctx.waitUntil(this.#flush());
    return state;
  }

  /** Sends what follows from the job's state. Nobody waits for the objects that receive its events. */
  async #flush(): Promise<void> {
    await this.#outbox.flush();
    this.ctx.waitUntil(this.#open.events.deliver());
  }

  #finished({ definition, tasks: all }: JobState): FinishedJob {
    return { definition, tasks: all.flatMap((task) => this.#finishedTask(task) ?? []) };
  }

  #finishedTask({ taskId, step }: TaskRecord): FinishedTask | null {
    const output = step.at === "success" ? this.#cell.storage.loadOutput(taskId) : null;
    return step.at === "success" && output !== null ? { taskId, lease: step.lease, output } : null;
  }

  #archiveReply({ definition, archive }: JobState): Exclude<ArchiveAnswer, null> {
    if (archive === null) return "not_requested";
    const { accountId, jobId } = definition;
    const { step } = archive;
    const readyKey = step.at === "ready" ? archiveKey(accountId, jobId, step.lease) : null;
    return { view: archiveView(jobId, archive), readyKey };
  }
}

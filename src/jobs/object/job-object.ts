import { DurableObject } from "cloudflare:workers";
import type { JobReport } from "../contract/job-report.ts";
import type {
  ArchiveAnswer,
  ArchiveClaim,
  CanceledJob,
  ContinuedJob,
  FinishedPage,
  FullJobAnswer,
  JobListing,
  KeptArchive,
  MaskAsked,
  StoredMask,
  TaskClaim,
} from "../rules/answers.ts";
import {
  savedAnnotations,
  type NewAnnotations,
  type SaveOutcome,
  type StoredAnnotations,
} from "../rules/annotations.ts";
import type { ArchiveOutcome } from "../rules/archive.ts";
import { forgotten } from "../rules/lifecycle.ts";
import { jobReport, jobView } from "../rules/rollup.ts";
import { isDone, newJob, ownedBy, type JobDefinition, type JobState } from "../rules/state.ts";
import * as tasks from "../rules/tasks.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Env } from "../../env.ts";
import type { Completion, ProgressReport } from "@segmentation/protocol";
import type { ExtendedTask, JobRpc } from "../store/rpc.ts";
import { JobStorage } from "../store/storage.ts";
import { platformOf, type Platform } from "../../platform.ts";
import { JobAcceptance } from "./job-acceptance.ts";
import { JobAnswers } from "./job-answers.ts";
import { JobArchive } from "./job-archive.ts";
import { JobCell, type Take } from "./job-cell.ts";
import { JobEvents } from "./job-events.ts";
import { JobOutbox } from "./job-outbox.ts";
import { JobWaiters, StreamPlaces } from "./job-waiters.ts";
import { cancelLeases, onAlarm } from "./job-alarm.ts";
import { TaskLeases } from "./task-leases.ts";

interface JobParts {
  readonly platform: Platform;
  readonly cell: JobCell;
  readonly outbox: JobOutbox;
  readonly acceptance: JobAcceptance;
  readonly answers: JobAnswers;
  readonly archive: JobArchive;
  readonly leases: TaskLeases;
  readonly waiters: JobWaiters;
  readonly events: JobEvents;
}

const BROKEN_RETRY_MS = 60_000;

/**
 * The state of one job: the methods of JobRpc. Each is a transition by the pure rules of jobs/rules, written in the same turn;
 * the outbox then sends its effects.
 */
export class JobObject extends DurableObject<Env> implements JobRpc {
  #parts: JobParts | null = null;
  readonly #storage = new JobStorage(this.ctx.storage);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#storage.alarm.load());
  }

  /** Created at first use and not by the constructor: a wrong setting must not cost the alarm (see `alarm`). */
  get #open(): JobParts {
    if (this.#parts !== null) return this.#parts;
    const platform = platformOf(this.env);
    const cell = new JobCell(this.#storage, platform.policy);
    const take: Take = (transition) => this.#take(transition);
    const outbox = new JobOutbox(cell, platform);
    const answers = new JobAnswers(cell);
    const places = new StreamPlaces((count) => this.#sayStreams(count));
    this.#parts = {
      platform,
      cell,
      outbox,
      acceptance: new JobAcceptance(cell, outbox, platform, () => this.withdraw()),
      answers,
      archive: new JobArchive(cell, answers, platform.policy, take),
      leases: new TaskLeases(cell, platform.policy, take),
      events: new JobEvents(cell, platform),
      waiters: new JobWaiters(cell, answers, places),
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

  /** If the account's count is unreachable, admits every stream: the job's own limit remains. */
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

  /** Requests whose answer may take as long as the job: store/long-requests.ts. */
  override fetch(request: Request): Promise<Response> {
    return this.#open.waiters.answer(request);
  }

  async prepare(definition: JobDefinition): Promise<void> {
    if (this.#cell.state === null) await this.#cell.commit(newJob(definition));
  }

  accept(): Promise<boolean> {
    return this.#open.acceptance.accept();
  }

  async withdraw(): Promise<void> {
    const { state } = this.#cell;
    if (state === null) return;
    // An expired job was accepted: it is being forgotten, and its usage stays settled.
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
    await this.#open.acceptance.decide(accountId);
    const { state } = this.#cell;
    if (state?.definition.accountId !== accountId) return false;
    // Until the list has removed it, the account may still find it there.
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
    return this.#open.answers.status(accountId);
  }

  resultPage(accountId: string, from: number, isSoFar: boolean): FinishedPage | "not_ready" | null {
    return this.#open.answers.resultPage(accountId, from, isSoFar);
  }

  continued(accountId: string): ContinuedJob | null {
    return this.#open.answers.continued(accountId);
  }

  masks(accountId: string, asked: readonly MaskAsked[]): (StoredMask | null)[] | "not_ready" | null {
    return this.#open.answers.masks(accountId, asked);
  }

  annotations(accountId: string): { stored: StoredAnnotations | null } | null {
    return this.#open.answers.annotations(accountId);
  }

  /** Reads and writes in the same turn: of two documents on the same version one is refused. */
  saveAnnotations(accountId: string, base: number, next: NewAnnotations): SaveOutcome | null {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return null;
    const { taskIds: jobTasks } = state.definition;
    const before = this.#storage.loadAnnotations();
    const outcome = savedAnnotations(before, base, next, { jobTasks, now: Date.now() });
    if (outcome.at === "saved" && outcome.annotations !== before)
      this.#storage.saveAnnotations(outcome.annotations);
    return outcome;
  }

  async cancel(accountId: string | null): Promise<CanceledJob | null> {
    if (accountId !== null) await this.#open.acceptance.decide(accountId);
    const before = accountId === null ? this.#cell.state : ownedBy(this.#cell.state, accountId);
    if (before === null) return null;
    const after = await this.#cell.take(tasks.cancelTasks);
    if (after === null) return { status: jobView(before), canceledTasks: 0 };
    this.ctx.waitUntil(cancelLeases(this.#platform, before));
    // The account may create its next job at once, if the database is reachable now.
    await this.#flush();
    return { status: jobView(after), canceledTasks: before.tasks.filter((task) => !isDone(task)).length };
  }

  async cancelUnbegun(): Promise<void> {
    await this.#cell.take(tasks.cancelUnbegun);
    await this.#flush();
  }

  claimTask(taskId: string): Promise<TaskClaim | null> {
    return this.#open.leases.claim(taskId);
  }

  releaseTask(taskId: string, lease: number, askedMs: number): Promise<void> {
    return this.#open.leases.release(taskId, lease, askedMs);
  }

  startTask(taskId: string, lease: number, pool: string | null): Promise<void> {
    return this.#open.leases.start(taskId, lease, pool);
  }

  holding(taskId: string, lease: number): JobDefinition | null {
    return this.#open.leases.holding(taskId, lease);
  }

  extendTask(taskId: string, lease: number, report: ProgressReport): Promise<ExtendedTask | null> {
    return this.#open.leases.extend(taskId, lease, report);
  }

  completeTask(taskId: string, lease: number, completion: Completion): Promise<tasks.Reported> {
    return this.#open.leases.complete(taskId, lease, completion);
  }

  requestArchive(accountId: string): Promise<ArchiveAnswer> {
    return this.#open.archive.request(accountId);
  }

  archive(accountId: string): ArchiveAnswer {
    return this.#open.answers.archive(accountId);
  }

  claimArchive(): Promise<ArchiveClaim | null> {
    return this.#open.archive.claim();
  }

  extendArchive(lease: number): Promise<boolean> {
    return this.#open.archive.extend(lease);
  }

  beginArchiveUpload(lease: number, uploadId: string): Promise<boolean> {
    return this.#open.archive.beginUpload(lease, uploadId);
  }

  keepArchive(lease: number, files: number, kept: KeptArchive): Promise<boolean> {
    return this.#open.archive.keep(lease, files, kept);
  }

  completeArchive(lease: number, outcome: ArchiveOutcome): Promise<boolean> {
    return this.#open.archive.complete(lease, outcome);
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
   * Applies the effects of time to the job, and retries the outbox. Never throws, even while a setting is missing: the platform
   * drops an alarm that throws too often, and the job would be lost with it.
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

  async #take(transition: (state: JobState, now: number) => tasks.Transition): Promise<JobState | null> {
    const state = await this.#cell.take(transition);
    this.ctx.waitUntil(this.#flush());
    return state;
  }

  /** Sends the effects of the job's state. Does not wait for the objects that receive its events. */
  async #flush(): Promise<void> {
    await this.#outbox.flush();
    this.ctx.waitUntil(this.#open.events.deliver());
  }
}

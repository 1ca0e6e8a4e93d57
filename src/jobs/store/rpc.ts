import type { JobReport } from "../contract/job-report.ts";
import type { JobType } from "../../shared/api/primitives.ts";
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
import type { NewAnnotations, SaveOutcome, StoredAnnotations } from "../rules/annotations.ts";
import type { ArchiveOutcome } from "../rules/archive.ts";
import type { JobDefinition } from "../rules/state.ts";
import type { Reported } from "../rules/tasks.ts";
import type { Completion, ProgressReport } from "@segmentation/protocol";

/** A task whose lease was extended. */
export interface ExtendedTask {
  /** The lease's new end, epoch milliseconds. */
  readonly deadline: number;
  readonly type: JobType;
  /** Whether the report showed more work done than the previous one. */
  readonly advanced: boolean;
}

/**
 * The methods that a JobObject offers to the Worker, as RPC. The object implements them (object/job-object.ts); the
 * bindings and the services know nothing else about it. Questions from an account are answered with null if the job is not
 * the account's own.
 */
export interface JobRpc {
  /** Stores the job. Until `accept` no list has it, and the alarm finds out what became of it. */
  prepare(definition: JobDefinition): Promise<void>;
  /**
   * The job is listed: the object sends its first messages. False if the queue takes none; the job is then withdrawn. True also
   * for a job that was accepted and has been deleted since.
   */
  accept(): Promise<boolean>;
  /** Forgets a job that was never accepted, and everything it left behind, now or as soon as possible. */
  withdraw(): Promise<void>;

  /**
   * The account is being erased: ends the job and forgets it with everything it left behind; what it used stays settled.
   * "left" means that something still exists; the object continues by itself.
   */
  erase(): Promise<"erased" | "left" | "unknown">;

  /** The job's public status and progress. */
  status(accountId: string): FullJobAnswer | null;
  /** The job to which another one adds. */
  continued(accountId: string): ContinuedJob | null;
  /** Masks of a successful job, which another one refines, each null if it is not there; "not_ready" as for `resultPage`. */
  masks(accountId: string, asked: readonly MaskAsked[]): (StoredMask | null)[] | "not_ready" | null;
  /**
   * The outputs of a successful job, or so far of one in progress, from a task on: of one task, or a thousand files at most; "not_ready"
   * for any other.
   */
  resultPage(accountId: string, from: number, isSoFar: boolean): FinishedPage | "not_ready" | null;
  /** The job's annotations, null if there are none. */
  annotations(accountId: string): { stored: StoredAnnotations | null } | null;
  /** Replaces the job's annotations by a document that is based on their version `base`. */
  saveAnnotations(accountId: string, base: number, next: NewAnnotations): SaveOutcome | null;
  /** The account requests the archive: the object starts one unless there is one. */
  requestArchive(accountId: string): Promise<ArchiveAnswer>;
  /** The archive's state; "not_requested" if nobody has requested one. */
  archive(accountId: string): ArchiveAnswer;
  /** Ends the job, for its account or for the operator (null): each unfinished task fails. Null if the job is not running. */
  cancel(accountId: string | null): Promise<CanceledJob | null>;
  /** The account's subscription has ended: tasks that have not begun fail; the others are completed. */
  cancelUnbegun(): Promise<void>;
  /**
   * The account deletes the job: it ends, it can no longer be found, and what it left behind goes as soon as possible; what it
   * used stays settled. False if there is no such job. @throws any error of the database, which may still list the job: retry.
   */
  delete(accountId: string): Promise<boolean>;

  /** A consumer claims a task; null if it has to skip the task: it is done, already held, or unknown. */
  claimTask(taskId: string): Promise<TaskClaim | null>;
  /** The inference service has no room: the task is sent again after a delay, and no attempt is used up. */
  releaseTask(taskId: string, lease: number, askedMs: number): Promise<void>;
  /** The inference service took the task. */
  startTask(taskId: string, lease: number): Promise<void>;
  /** What the holder of a lease is working on; null if the lease is no longer in force. */
  holding(taskId: string, lease: number): JobDefinition | null;
  /** The holder is at work; null if its lease is no longer in force. */
  extendTask(taskId: string, lease: number, report: ProgressReport): Promise<ExtendedTask | null>;
  /** The holder reports the end of its attempt. */
  completeTask(taskId: string, lease: number, completion: Completion): Promise<Reported>;

  /** A consumer claims the archive to build it; null if it has to skip it. */
  claimArchive(): Promise<ArchiveClaim | null>;
  /** The builder is at work; false if its lease is no longer in force. */
  extendArchive(lease: number): Promise<boolean>;
  /** The builder has begun the archive's upload; false if its lease is no longer in force, or the archive has an upload. */
  beginArchiveUpload(lease: number, uploadId: string): Promise<boolean>;
  /** The builder saves its progress, after so many files, which extends its lease; false, with nothing saved, if that is no longer in force. */
  keepArchive(lease: number, files: number, kept: KeptArchive): Promise<boolean>;
  /** The builder reports the end of its slice; false if its lease is no longer in force, and the report is refused. */
  completeArchive(lease: number, outcome: ArchiveOutcome): Promise<boolean>;

  /** The list shows the job as unfinished: the object pushes what the list lacks, now. False if there is no job. */
  sync(): Promise<boolean>;
  /** Does what the alarm does, sets the next one, and pushes again what the list may have lost. False if there is no job. */
  wake(): Promise<boolean>;
  /** The job as an operator sees it. */
  report(): Promise<JobReport | null>;
  /** The job as the list and the ledger should have it. */
  listing(): JobListing | null;
  /** The account's books are being moved to another database: the job's row is there from now on. */
  moveTo(database: string): Promise<void>;
}

/** The methods that an AccountStreams object offers, as RPC. */
export interface StreamsRpc {
  /** Reports a job's number of open streams, replacing its previous report. False if the account would have too many. */
  say(jobId: string, count: number): Promise<boolean>;
  /** Sets an alarm, waits for it, and returns how late it was, milliseconds: of an object that no account has. */
  alarmDelay(): Promise<number>;
}

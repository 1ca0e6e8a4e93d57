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
  /** True if the report showed more work done than the previous one. */
  readonly advanced: boolean;
}

/**
 * The RPC methods that a JobObject offers to the Worker. The object implements them (object/job-object.ts); the bindings and the
 * services know nothing else about it. Requests of an account return null if the job belongs to another account.
 */
export interface JobRpc {
  /** Stores the job. No list has it before `accept`; the alarm decides about it. */
  prepare(definition: JobDefinition): Promise<void>;
  /**
   * Sends the first messages of a listed job. False if the queue takes none; the job is then withdrawn. True also for a job that
   * was accepted and has been deleted since.
   */
  accept(): Promise<boolean>;
  /** Forgets a job that was never accepted, and its files, now or as soon as possible. */
  withdraw(): Promise<void>;

  /**
   * Ends a job of an account that is being erased, and forgets it with its files; its usage stays settled. "left" means that
   * files or rows remain; the object continues by itself.
   */
  erase(): Promise<"erased" | "left" | "unknown">;

  status(accountId: string): FullJobAnswer | null;
  /** Returns the job to which another one adds. */
  continued(accountId: string): ContinuedJob | null;
  /** Returns masks of a successful job that another one refines, null for a missing mask; "not_ready" as for `resultPage`. */
  masks(accountId: string, asked: readonly MaskAsked[]): (StoredMask | null)[] | "not_ready" | null;
  /**
   * Returns the outputs of a successful job, or so far of a job in progress, from a task on: of one task, or a thousand files at
   * most; "not_ready" for any other.
   */
  resultPage(accountId: string, from: number, isSoFar: boolean): FinishedPage | "not_ready" | null;
  /** Returns the job's annotations, null if there are none. */
  annotations(accountId: string): { stored: StoredAnnotations | null } | null;
  /** Replaces the job's annotations by a document that is based on their version `base`. */
  saveAnnotations(accountId: string, base: number, next: NewAnnotations): SaveOutcome | null;
  /** Starts an archive for the account unless there is one. */
  requestArchive(accountId: string): Promise<ArchiveAnswer>;
  /** Returns the archive's state; "not_requested" without a request for one. */
  archive(accountId: string): ArchiveAnswer;
  /** Ends the job, for its account or for the operator (null): each unfinished task fails. Null if the job is not running. */
  cancel(accountId: string | null): Promise<CanceledJob | null>;
  /** Fails the unstarted tasks of an account whose subscription has ended; completes the others. */
  cancelUnbegun(): Promise<void>;
  /**
   * Deletes the job for the account: it ends, can no longer be found, and its files are deleted as soon as possible; its usage
   * stays settled. False if there is no such job.
   * @throws any error of the database, which may still list the job: retry.
   */
  delete(accountId: string): Promise<boolean>;

  /** Lets a consumer claim a task; null if it has to skip the task: it is done, already held, or unknown. */
  claimTask(taskId: string): Promise<TaskClaim | null>;
  /** Puts a task back for which the inference service has no room: it is sent again after a delay, and keeps its attempts. */
  releaseTask(taskId: string, lease: number, askedMs: number): Promise<void>;
  /** Records that a pool of the inference service took the task; null if the pool is unknown. */
  startTask(taskId: string, lease: number, pool: string | null): Promise<void>;
  /** Returns the job that the holder of a lease is working on; null if the lease is no longer in force. */
  holding(taskId: string, lease: number): JobDefinition | null;
  /** Records progress and extends the lease; null if it is no longer in force. */
  extendTask(taskId: string, lease: number, report: ProgressReport): Promise<ExtendedTask | null>;
  completeTask(taskId: string, lease: number, completion: Completion): Promise<Reported>;

  /** Lets a consumer claim the archive to build it; null if it has to skip it. */
  claimArchive(): Promise<ArchiveClaim | null>;
  /** Extends the builder's lease; false if it is no longer in force. */
  extendArchive(lease: number): Promise<boolean>;
  /** Records the begun upload of the archive; false if the lease is no longer in force, or the archive has an upload. */
  beginArchiveUpload(lease: number, uploadId: string): Promise<boolean>;
  /**
   * Saves the builder's progress after `files` files and extends its lease; false, with nothing saved, if the lease is no longer
   * in force.
   */
  keepArchive(lease: number, files: number, kept: KeptArchive): Promise<boolean>;
  /** Records the end of the builder's slice; false if its lease is no longer in force: the report is refused. */
  completeArchive(lease: number, outcome: ArchiveOutcome): Promise<boolean>;

  /** Pushes the job that the list shows as unfinished, now. False if there is no job. */
  sync(): Promise<boolean>;
  /**
   * Runs the alarm's work, sets the next alarm, and pushes again for a list that may have lost rows. False if there is no job.
   */
  wake(): Promise<boolean>;
  /** Returns the job as an operator sees it. */
  report(): Promise<JobReport | null>;
  /** Returns the job for the list and the ledger. */
  listing(): JobListing | null;
  /** Notes the new database of the account, which has the job's row from now on. */
  moveTo(database: string): Promise<void>;
}

type Namespace = DurableObjectNamespace<JobRpc & Rpc.DurableObjectBranded>;

/** A JobObject as the Worker calls it. Cloudflare's type of a stub turns tuples into arrays of any length. */
export type JobStub = Omit<ReturnType<Namespace["getByName"]>, keyof JobRpc> & {
  readonly [Method in keyof JobRpc]: (
    ...args: Parameters<JobRpc[Method]>
  ) => Promise<Awaited<ReturnType<JobRpc[Method]>>>;
};

/** The binding of the JobObjects. */
export type JobNamespace = {
  readonly get: (id: DurableObjectId) => JobStub;
  readonly getByName: (name: string) => JobStub;
} & Namespace;

/** The methods that an AccountStreams object offers, as RPC. */
export interface StreamsRpc {
  /** Reports a job's number of open streams, replacing its previous report. False if the account would have too many. */
  say(jobId: string, count: number): Promise<boolean>;
  /** Sets an alarm, waits for it, and returns its delay in milliseconds; for an object without an account. */
  alarmDelay(): Promise<number>;
}

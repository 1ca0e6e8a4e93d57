import type { ArchiveDownload } from "../contract/archive.ts";
import type { JobStatus } from "../contract/job.ts";
import type { Status } from "../../shared/api/primitives.ts";
import type { TaskOutput } from "@segmentation/protocol";
import type { JobCost } from "../../billing/rules/ledger.ts";
import type { ArchiveUpload, JobDefinition, JobPhase } from "./state.ts";

/** A job's public status, and the share of its work that is done, in whole hundredths. */
export interface JobAnswer {
  readonly status: JobStatus;
  readonly progress: number;
}

/** The same with what only those learn who ask for it. */
export interface FullJobAnswer extends JobAnswer {
  /** What it was asked for, which its status has for those who ask for it. */
  readonly asked: Pick<JobStatus, "prompts" | "refines">;
}

/** A job after a cancellation, and how many of its tasks were canceled. */
export interface CanceledJob {
  readonly status: JobStatus;
  readonly canceledTasks: number;
}

/** A job as the list and the ledger should have it. */
export interface JobListing {
  readonly definition: JobDefinition;
  readonly phase: JobPhase;
  readonly version: number;
  /** The last version that the list confirmed. */
  readonly projected: number;
  readonly status: Status;
  readonly error: string | null;
  readonly updatedAt: number;
  /** Null until the job has ended. */
  readonly cost: JobCost | null;
}

/** What the holder of a claimed task needs to know. */
export interface TaskClaim {
  readonly definition: JobDefinition;
  readonly lease: number;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** A successful task's output, and the lease whose prefix its files have. */
export interface FinishedTask {
  readonly taskId: string;
  readonly lease: number;
  readonly output: TaskOutput;
}

/** A successful job's outputs, in the order of the request. */
export interface FinishedJob {
  readonly definition: JobDefinition;
  readonly tasks: readonly FinishedTask[];
}

/** What a job that adds to another has to know of it: the first job of its uploads, which it may be itself, and its tasks. */
export interface ContinuedJob {
  readonly firstJobId: string;
  readonly taskIds: readonly string[];
}

/** A mask of one of a job's pictures, as another job refines it. */
export interface MaskAsked {
  readonly taskId: string;
  readonly maskIndex: number;
}

/** A mask that is there: its key in the bucket, and the ETag of the picture that it is of; absent where inputs were not pinned. */
export interface StoredMask {
  readonly objectKey: string;
  readonly inputEtag?: string;
}

/** Some of a successful job's outputs: those of its next tasks. */
export interface FinishedPage extends FinishedJob {
  /** The index of the task with which the next page begins; null after the last. */
  readonly next: number | null;
  /** How many files the whole job has; of a later page, without meaning. */
  readonly files: number;
}

/** A half-built archive as its builder saved it: what the next builder needs to continue. */
export interface KeptArchive {
  /** The digest of the archive's plan, so that nobody continues with a different one. */
  readonly plan: string;
  /** What is known about its files: numbers of `archives/rules/zip-writer.ts`. */
  readonly known: Uint32Array;
  /** The ETags of the upload's finished parts, in order. */
  readonly etags: readonly string[];
  /** The bytes after the last of those parts: less than one part. */
  readonly rest: Uint8Array;
}

/** What the builder of a claimed archive needs to know. */
export interface ArchiveClaim {
  readonly job: FinishedJob;
  readonly lease: number;
  /** How many builders have claimed it, including this one. */
  readonly messages: number;
  /** The upload to continue; null if none was begun. */
  readonly upload: ArchiveUpload | null;
  /** Where to continue; null if nothing is saved. */
  readonly kept: KeptArchive | null;
}

/** An archive as its account sees it, and its key in the bucket once it is ready. */
export interface ArchiveReply {
  readonly view: Omit<ArchiveDownload, "downloadUrl">;
  readonly readyKey: string | null;
}

/** The answer to an account's question about an archive; null if the job is not the account's own. */
export type ArchiveAnswer = ArchiveReply | "not_downloadable" | "not_requested" | null;

import type { ArchiveDownload } from "../contract/archive.ts";
import type { JobStatus } from "../contract/job.ts";
import type { Status } from "../../shared/api/primitives.ts";
import type { TaskOutput } from "@segmentation/protocol";
import type { JobCost } from "../../billing/rules/ledger.ts";
import type { ArchiveUpload, JobDefinition, JobPhase } from "./state.ts";

/** A job's public status, and its progress, in whole hundredths. */
export interface JobAnswer {
  readonly status: JobStatus;
  readonly progress: number;
}

/** A job's answer with the fields that only its own status has. */
export interface FullJobAnswer extends JobAnswer {
  readonly asked: Pick<JobStatus, "prompts" | "refines">;
}

/** A job after a cancellation, and the number of canceled tasks. */
export interface CanceledJob {
  readonly status: JobStatus;
  readonly canceledTasks: number;
}

/** A job for the list and the ledger. */
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

/** The data for the holder of a claimed task. */
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

/** The data of a job that another adds to: the first job of its uploads, which it may be itself, and its tasks. */
export interface ContinuedJob {
  readonly firstJobId: string;
  readonly taskIds: readonly string[];
}

/** A mask of a job's picture that another job refines. */
export interface MaskAsked {
  readonly taskId: string;
  readonly maskIndex: number;
}

/** An existing mask: its key in the bucket, and the ETag of its picture; absent where inputs were not pinned. */
export interface StoredMask {
  readonly objectKey: string;
  readonly inputEtag?: string;
}

/** A page of a successful job's outputs: those of its next tasks. */
export interface FinishedPage extends FinishedJob {
  /** The index of the task with which the next page begins; null after the last. */
  readonly next: number | null;
  /** Number of files of the whole job; meaningless on a later page. */
  readonly files: number;
}

/** A half-built archive, for the next builder. */
export interface KeptArchive {
  /** The digest of the archive's plan: only a builder with the same plan continues. */
  readonly plan: string;
  /** The records of its files: numbers of `archives/rules/zip-writer.ts`. */
  readonly known: Uint32Array;
  /** The ETags of the upload's finished parts, in order. */
  readonly etags: readonly string[];
  /** The bytes after the last of those parts: less than one part. */
  readonly rest: Uint8Array;
}

/** The data for the builder of a claimed archive. */
export interface ArchiveClaim {
  readonly job: FinishedJob;
  readonly lease: number;
  /** Number of builders that have claimed it, including this one. */
  readonly messages: number;
  /** The upload to continue; null if none was begun. */
  readonly upload: ArchiveUpload | null;
  /** The state to continue from; null if nothing is saved. */
  readonly kept: KeptArchive | null;
}

/** An archive as its account sees it, and its key in the bucket once it is ready. */
interface ArchiveReply {
  readonly view: Omit<ArchiveDownload, "downloadUrl">;
  readonly readyKey: string | null;
}

/** The answer to an account's request for an archive; null if the job belongs to another account. */
export type ArchiveAnswer = ArchiveReply | "not_downloadable" | "not_requested" | null;

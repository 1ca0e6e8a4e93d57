import type { ArchiveDownload } from "../../contract/archive.ts";
import type { JobStatus } from "../../contract/job.ts";
import type { Status } from "../../contract/primitives.ts";
import type { TaskOutput } from "@segmentation/protocol";
import type { ArchiveUpload, JobDefinition, JobPhase } from "./state.ts";

/** A job's public status, and the share of its work that is done, in whole hundredths. */
export interface JobAnswer {
  readonly status: JobStatus;
  readonly progress: number;
}

/** A job after a cancellation, and how many of its tasks that has ended. */
export interface CanceledJob {
  readonly status: JobStatus;
  readonly canceledTasks: number;
}

/** A job as the list and the ledger should have it. */
export interface JobListing {
  readonly definition: JobDefinition;
  readonly phase: JobPhase;
  readonly version: number;
  /** The version that the list confirmed last. */
  readonly projected: number;
  readonly status: Status;
  readonly error: string | null;
  readonly updatedAt: number;
  /** What the job used; null while it is under way. */
  readonly usedUnits: number | null;
}

/** A claimed task: what its holder needs to know. */
export interface TaskClaim {
  readonly definition: JobDefinition;
  readonly lease: number;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** A successful task's output, and the lease under whose prefix its files lie. */
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

/** A half-built archive, as its builder keeps it: what another one needs to go on. */
export interface KeptArchive {
  /** The digest of what the archive holds, so that nobody goes on with another. */
  readonly plan: string;
  /** What is known of its files: numbers of `core/lib/zip-writer.ts`. */
  readonly known: Uint32Array;
  /** The ETags of the upload's finished parts, in their order. */
  readonly etags: readonly string[];
  /** The bytes behind the last of those parts: less than a part. */
  readonly rest: Uint8Array;
}

/** A claimed archive: what its builder needs to know. */
export interface ArchiveClaim {
  readonly job: FinishedJob;
  readonly lease: number;
  /** How many messages' builders have claimed it, this one included. */
  readonly messages: number;
  /** The upload to go on with; null if none was begun. */
  readonly upload: ArchiveUpload | null;
  /** What to go on from; null if nothing is kept. */
  readonly kept: KeptArchive | null;
}

/** An archive as its account sees it, and its key in the bucket once it is ready. */
export interface ArchiveReply {
  readonly view: Omit<ArchiveDownload, "downloadUrl">;
  readonly readyKey: string | null;
}

/** What an account learns about an archive: null if the job is not the account's own. */
export type ArchiveAnswer = ArchiveReply | "not_downloadable" | "not_requested" | null;

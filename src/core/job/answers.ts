import type { ArchiveDownload } from "../../contract/archive.ts";
import type { JobStatus } from "../../contract/job.ts";
import type { TaskOutput } from "@segmentation/protocol";
import type { JobDefinition } from "./state.ts";

/** A job's public status, and the share of its work that is done, in whole hundredths. */
export interface JobAnswer {
  readonly status: JobStatus;
  readonly progress: number;
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

/** An archive as its account sees it, and its key in the bucket once it is ready. */
export interface ArchiveReply {
  readonly view: Omit<ArchiveDownload, "downloadUrl">;
  readonly readyKey: string | null;
}

/** What an account learns about an archive: null if the job is not the account's own. */
export type ArchiveAnswer = ArchiveReply | "not_downloadable" | "not_requested" | null;

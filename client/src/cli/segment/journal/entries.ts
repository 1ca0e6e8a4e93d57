import type { Box } from "@segmentation/masks";
import type { CreateJobRequest } from "../../../schemas.ts";

/** The version of the journal's format. The command refuses newer ones. */
export const VERSION = 1;

/** A file at the time of reading: its names, and the values that reveal a change. */
export interface Reading {
  /** The path from the output folder, or the URL. */
  readonly id: string;
  /** The name of its results. */
  readonly name: string;
  /** In bytes; the same size and time suggest that the file is unchanged. Both are 0 for a URL. */
  readonly size: number;
  readonly mtimeMs: number;
  /**
   * Hexadecimal SHA-256 of its bytes; of a bucket's object its ETag; empty for a URL, whose changes the command does
   * not detect.
   */
  readonly digest: string;
}

/** One mask of a picture, for the table. */
export interface MaskRow {
  readonly prompt: string;
  readonly confidence: number;
  readonly box: Box;
  readonly area: number;
}

/** One object of a video, for the table. */
export interface TrackRow {
  readonly objectId: number;
  readonly prompt: string;
  readonly firstSec: number;
  readonly lastSec: number;
  readonly frames: number;
  /** The mean over its frames. */
  readonly confidence: number;
}

/** The outcome of a file: its results are in the folder, or it has none. */
export interface Outcome {
  readonly id: string;
  /** The digest of the bytes with this outcome. */
  readonly digest: string;
  /** Undefined for an unsent file. */
  readonly jobId?: string;
  /** The reason why it failed, or the prompts that were not served: a code, a colon and a sentence. */
  readonly problem: string | null;
  readonly hasFailed: boolean;
  /** The paths of its files, relative to the output folder. */
  readonly files: readonly string[];
  readonly masks: readonly MaskRow[];
  readonly tracks?: readonly TrackRow[];
}

/** A planned job, before its request. */
export interface PlannedJob {
  /** Its Idempotency-Key. */
  readonly key: string;
  /** The time of the planning: epoch milliseconds. */
  readonly at: number;
  readonly request: CreateJobRequest;
  /** The file of each of the request's tasks. */
  readonly inputs: readonly { readonly id: string; readonly digest: string }[];
}

/** One line of the journal: JSON. It is written before any step that depends on it. */
export type Entry =
  | { readonly entry: "run"; readonly version: number; readonly baseUrl: string; readonly order: string }
  | ({ readonly entry: "read" } & Reading)
  | {
      readonly entry: "uploaded";
      readonly id: string;
      readonly digest: string;
      readonly taskId: string;
      readonly at: number;
    }
  | ({ readonly entry: "planned" } & PlannedJob)
  | { readonly entry: "accepted"; readonly key: string; readonly jobId: string }
  /** The service refused it, or no longer has it: its files are free for another job. */
  | { readonly entry: "dropped"; readonly key: string }
  | ({ readonly entry: "outcome" } & Outcome)
  /** All outcomes of a job are in the journal. */
  | { readonly entry: "ended"; readonly key: string }
  /** The merged document has all outcomes so far. */
  | { readonly entry: "merged" };

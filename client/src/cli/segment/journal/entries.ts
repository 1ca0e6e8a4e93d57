import type { Box } from "@segmentation/masks";
import type { CreateJobRequest } from "../../../schemas.ts";

/** The version of the journal's format; a newer one is not read. */
export const VERSION = 1;

/** A file as it was read: its names, and what reveals a change of it. */
export interface Reading {
  /** The path from the output folder, or the URL. */
  readonly id: string;
  /** The name of its results. */
  readonly name: string;
  /** In bytes; the same size and time suggest that the file is unchanged. Both are 0 for a URL. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Hexadecimal SHA-256 of its bytes; of a bucket's object its ETag; empty for a URL, which is not fetched to detect a change. */
  readonly digest: string;
}

/** One mask of a picture, for the table. */
export interface MaskRow {
  readonly prompt: string;
  readonly confidence: number;
  readonly box: Box;
  readonly area: number;
}

/** One object of a clip, for the table. */
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
  /** Of the bytes that this is the outcome of. */
  readonly digest: string;
  /** Undefined for a file that was not sent. */
  readonly jobId?: string;
  /** Why it failed, or which prompts could not be served: a code, a colon and a sentence. */
  readonly problem: string | null;
  readonly hasFailed: boolean;
  /** The paths of its files, relative to the output folder. */
  readonly files: readonly string[];
  readonly masks: readonly MaskRow[];
  readonly tracks?: readonly TrackRow[];
}

/** A job that has been planned, before it is requested. */
export interface PlannedJob {
  /** Its Idempotency-Key. */
  readonly key: string;
  /** When it was planned: epoch milliseconds. */
  readonly at: number;
  readonly request: CreateJobRequest;
  /** The file of each of the request's tasks. */
  readonly inputs: readonly { readonly id: string; readonly digest: string }[];
}

/** One line of the journal: JSON. Each is written before what depends on it. */
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
  /** All outcomes of a job have been written. */
  | { readonly entry: "ended"; readonly key: string }
  /** The merged document has all outcomes so far. */
  | { readonly entry: "merged" };

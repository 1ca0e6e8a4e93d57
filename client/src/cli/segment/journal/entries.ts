import type { Box } from "@segmentation/masks";
import type { CreateJobRequest } from "../../../schemas.ts";

/** The version of the journal's format; a newer one is not read. */
export const VERSION = 1;

/** A file as it was read: what it is called, and by what a change of it is seen. */
export interface Reading {
  /** The path from the output folder, or the URL. */
  readonly id: string;
  /** What its results are called. */
  readonly name: string;
  /** In bytes; with the time a hint that the file is as it was. Both are 0 of a URL. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Hexadecimal SHA-256 of its bytes; empty of a URL, which is not fetched to see whether it has changed. */
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

/** What became of a file whose results are in the folder, or that has none. */
export interface Outcome {
  readonly id: string;
  /** Of the bytes that it is of. */
  readonly digest: string;
  /** Undefined of a file that was not sent. */
  readonly jobId?: string;
  /** Why it failed, or which prompts could not be served: a code, a colon and a sentence. */
  readonly problem: string | null;
  readonly hasFailed: boolean;
  /** Its files, from the output folder. */
  readonly files: readonly string[];
  readonly masks: readonly MaskRow[];
  readonly tracks?: readonly TrackRow[];
}

/** A job before it is asked for. */
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
  /** The service refused it, or has it no more: its files are free for another. */
  | { readonly entry: "dropped"; readonly key: string }
  | ({ readonly entry: "outcome" } & Outcome)
  /** All outcomes of a job are written. */
  | { readonly entry: "ended"; readonly key: string }
  /** The merged document has all outcomes so far. */
  | { readonly entry: "merged" };

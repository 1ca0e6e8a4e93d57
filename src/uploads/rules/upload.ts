import type { JobType } from "../../shared/api/primitives.ts";
import { jobTypeOf, type StoredUpload } from "../../shared/bucket/media-type.ts";

/** A presigned upload, as it is on record. */
export interface RecordedUpload {
  readonly taskId: string;
  readonly contentType: string;
}

/**
 * An upload, and what an accepted job or an inspection saw of it last; null if none has seen an object that is still there, or
 * an event has reported another one since.
 */
export interface InspectedUpload extends RecordedUpload {
  readonly seen: StoredUpload | null;
}

/** The most bytes that a job of each type accepts for one upload. */
export interface UploadLimits {
  readonly maxBytes: Readonly<Record<JobType, number>>;
}

/** The most bytes that any job accepts for an upload with this content type. */
export function mostBytesOf({ maxBytes }: UploadLimits, contentType: string): number {
  const type = jobTypeOf(contentType);
  return type === null ? Math.max(maxBytes.image, maxBytes.video) : maxBytes[type];
}

import type { JobType } from "../../shared/api/primitives.ts";
import { jobTypeOf, type StoredUpload } from "../../shared/bucket/media-type.ts";

export interface RecordedUpload {
  readonly taskId: string;
  readonly contentType: string;
}

/**
 * An upload with the object that an accepted job or an inspection saw last; null if none has seen the current object, or an event
 * has reported another one since.
 */
export interface InspectedUpload extends RecordedUpload {
  readonly seen: StoredUpload | null;
}

/** Maximum bytes of an upload by job type. */
export interface UploadLimits {
  readonly maxBytes: Readonly<Record<JobType, number>>;
}

/** Returns the maximum bytes that any job accepts for an upload with this content type. */
export function mostBytesOf({ maxBytes }: UploadLimits, contentType: string): number {
  const type = jobTypeOf(contentType);
  return type === null ? Math.max(maxBytes.image, maxBytes.video) : maxBytes[type];
}

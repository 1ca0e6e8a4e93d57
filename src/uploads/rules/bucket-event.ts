import { z } from "zod";
import { inputOf } from "../../shared/bucket/object-keys.ts";

/** A message of R2's event notifications, with the fields that this reads. Events of deletions have neither size nor ETag. */
export const BucketEvent = z.object({
  bucket: z.string(),
  action: z.string(),
  object: z.object({ key: z.string(), size: z.int().nonnegative().optional(), eTag: z.string().optional() }),
  /** ISO 8601. */
  eventTime: z.iso.datetime({ offset: true }),
});
export type BucketEvent = z.infer<typeof BucketEvent>;

/** An object that the bucket reports as stored for an upload; `size` in bytes, `etag` quoted as in HTTP. */
export interface StoredInput {
  readonly accountId: string;
  readonly taskId: string;
  readonly size: number;
  readonly etag: string;
}

/** The actions that store an object. */
const STORING: ReadonlySet<string> = new Set(["PutObject", "CopyObject", "CompleteMultipartUpload"]);

/** Returns the upload whose object an event of this bucket reports as stored; null for any other event. */
export function storedInputOf({ bucket, action, object }: BucketEvent, ours: string): StoredInput | null {
  const { key, size, eTag = "" } = object;
  const input = inputOf(key);
  if (bucket !== ours || !STORING.has(action) || size === undefined || input === null) return null;
  return { ...input, size, etag: `"${eTag}"` };
}

import { z } from "zod";
import { DateTime } from "./primitives.ts";

export const ArchiveStatus = z.enum(["pending", "processing", "ready", "failed"]);
export type ArchiveStatus = z.infer<typeof ArchiveStatus>;

/** Section 2.6. */
export const ArchiveDownload = z.strictObject({
  jobId: z.string(),
  status: ArchiveStatus,
  expiresAt: DateTime.nullable(),
  downloadUrl: z.url().nullable(),
  retryAfterSeconds: z.int().nullable(),
  error: z.string().nullable(),
});
export type ArchiveDownload = z.infer<typeof ArchiveDownload>;

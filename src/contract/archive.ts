import { z } from "zod";
import { DateTime } from "./primitives.ts";

export const ArchiveStatus = z
  .enum(["pending", "processing", "ready", "failed"])
  .meta({ id: "ArchiveStatus" });
export type ArchiveStatus = z.infer<typeof ArchiveStatus>;

/** Section 2.6. */
export const ArchiveDownload = z
  .strictObject({
    jobId: z.string(),
    status: ArchiveStatus,
    expiresAt: DateTime.nullable().meta({ description: "When the archive will be deleted." }),
    downloadUrl: z.url().nullable().meta({ description: "Once ready: the zip, signed anew in each answer." }),
    retryAfterSeconds: z.int().nullable().meta({ description: "When to ask again; null at the end." }),
    error: z.string().nullable(),
  })
  .meta({
    id: "ArchiveDownload",
    examples: [
      {
        jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        status: "pending",
        expiresAt: null,
        downloadUrl: null,
        retryAfterSeconds: 2,
        error: null,
      },
    ],
  });
export type ArchiveDownload = z.infer<typeof ArchiveDownload>;

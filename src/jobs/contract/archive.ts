import { z } from "zod";
import { DateTime } from "../../shared/api/primitives.ts";

const ArchiveStatus = z.enum(["pending", "processing", "ready", "failed"]).meta({ id: "ArchiveStatus" });

/** Section 2.6 of the specification. */
export const ArchiveDownload = z
  .strictObject({
    jobId: z.string(),
    status: ArchiveStatus,
    expiresAt: DateTime.nullable().meta({ description: "Time at which the service deletes the archive." }),
    downloadUrl: z
      .url()
      .nullable()
      .meta({ description: "The signed URL of the zip once it is ready. Each response has a new one." }),
    retryAfterSeconds: z.int().nullable().meta({
      description: "Seconds to wait before asking again; null once the archive is ready or has failed.",
    }),
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

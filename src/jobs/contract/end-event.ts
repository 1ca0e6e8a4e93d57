import { z } from "zod";
import { DateTime } from "../../shared/api/primitives.ts";
import { ArchiveDownload } from "./archive.ts";
import { JobStatus } from "./job.ts";

/** An archive in an event, without its signed URL: an event is kept for days, and the URL is valid for minutes. */
export const ArchiveEventData = ArchiveDownload.omit({ downloadUrl: true }).meta({ id: "ArchiveEventData" });
export type ArchiveEventData = z.infer<typeof ArchiveEventData>;

/** The webhook event of a job's end. */
export const JobEndEvent = z.strictObject({
  type: z.enum(["job.succeeded", "job.failed"]),
  timestamp: DateTime,
  data: JobStatus,
});

/** The webhook event of an archive's end. */
export const ArchiveEndEvent = z.strictObject({
  type: z.enum(["archive.ready", "archive.failed"]),
  timestamp: DateTime,
  data: ArchiveEventData,
});

export type EndEvent = z.infer<typeof JobEndEvent> | z.infer<typeof ArchiveEndEvent>;

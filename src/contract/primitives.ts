import { z } from "zod";

/** An upload's id: a lowercase UUID, a dot, a file extension. */
export const TaskId = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[a-z0-9][a-z0-9.-]{0,63}$/,
    "must be a taskId from POST /v1/uploads/presign: <uuid>.<extension>",
  );

export const JobType = z.enum(["image", "video"]);
export type JobType = z.infer<typeof JobType>;

export const ProcessingMode = z.enum(["single", "batch", "video"]);
export type ProcessingMode = z.infer<typeof ProcessingMode>;

/** The four states of a job and of each of its tasks. */
export const Status = z.enum(["queued", "processing", "success", "failed"]);
export type Status = z.infer<typeof Status>;

/** ISO 8601 UTC with milliseconds. */
export const DateTime = z.iso.datetime({ precision: 3 });

import { z } from "zod";
import { JobStatus } from "./job.ts";

export const JobProgress = z
  .strictObject({
    progress: z.number().min(0).max(1).meta({
      description: "The share of the job's work that is done, as the header `X-Job-Progress` has it.",
    }),
  })
  .meta({ id: "JobProgress", examples: [{ progress: 0.42 }] });
export type JobProgress = z.infer<typeof JobProgress>;

/** The data of one event of a job's stream. */
export const JobEventData = z.union([JobStatus, JobProgress]).meta({
  id: "JobEventData",
  description:
    "The data of one event: of `status` and `end` the job's status, of `progress` the share of its work that is done.",
});

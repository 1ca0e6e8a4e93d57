import { z } from "zod";

const time = z.number();
const count = z.int();

/** A JobObject's report of its job, for the operator's API: not part of the public contract. Times are epoch milliseconds. */
export const JobReport = z.object({
  jobId: z.string(),
  accountId: z.string(),
  type: z.string(),
  lane: z.string(),
  phase: z.string(),
  status: z.string(),
  error: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  /** The job's version, and the version in the list. */
  version: count,
  projected: count,
  unlistedAt: time.nullable(),
  /** The object's next alarm; null if it has lost its alarm. */
  alarmAt: time.nullable(),
  /** Requests that wait for the job's end or its archive's, and open streams of its events. */
  waits: count,
  streams: count,
  tasks: z.array(
    z.object({
      taskId: z.string(),
      status: z.string(),
      /** Its step: waiting, sent, leased, success or failed. */
      at: z.string(),
      lease: count.nullable(),
      /** The end of the step: the lease's deadline, the next message, the end of a wait. */
      until: time.nullable(),
      attempts: count,
      sends: count,
      refusals: count,
      failedAt: time.nullable(),
      problem: z.string().nullable(),
    }),
  ),
  archive: z
    .object({ at: z.string(), lease: count.nullable(), until: time.nullable(), attempts: count })
    .nullable(),
});
export type JobReport = z.infer<typeof JobReport>;

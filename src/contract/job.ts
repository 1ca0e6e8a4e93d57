import { z } from "zod";
import { DateTime, JobType, ProcessingMode, Status, TaskId } from "./primitives.ts";

const Probability = z.number().min(0).max(1);

/** The image variant of POST /v1/jobs. */
export const ImageJobRequest = z.strictObject({
  type: z.literal("image"),
  prompts: z.array(z.string().min(1)).min(1),
  tasks: z.array(TaskId).min(1).max(100),
  generatePreview: z.boolean().default(false),
  threshold: Probability.default(0.5),
  maskThreshold: Probability.default(0.5),
});
export type ImageJobRequest = z.infer<typeof ImageJobRequest>;

/** POST /v1/jobs: one variant a job type; a field of another variant is refused. */
export const CreateJobRequest = z.discriminatedUnion("type", [ImageJobRequest]);
export type CreateJobRequest = z.infer<typeof CreateJobRequest>;

/** Section 2.4. */
export const AcceptedJob = z.strictObject({
  jobId: z.string(),
  type: JobType,
  totalItems: z.int().min(1),
});
export type AcceptedJob = z.infer<typeof AcceptedJob>;

/** GET /v1/jobs. */
export const ListJobsQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, "must be an integer from 1 to 100")
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(25),
  nextToken: z.string().max(2_000).optional(),
  jobId: z.string().max(200).optional(),
  mode: ProcessingMode.optional(),
  status: Status.optional(),
});
export type ListJobsQuery = z.infer<typeof ListJobsQuery>;

/** Section 2.2. */
export const JobSummary = z.strictObject({
  jobId: z.string(),
  type: JobType,
  processingMode: ProcessingMode,
  totalItems: z.int().min(0),
  status: Status,
  createdAt: DateTime,
  updatedAt: DateTime,
  error: z.string().nullable(),
});
export type JobSummary = z.infer<typeof JobSummary>;

export const JobList = z.strictObject({
  items: z.array(JobSummary),
  nextToken: z.string().nullable(),
});
export type JobList = z.infer<typeof JobList>;

/** Section 2.3: never with masks. */
export const JobStatus = z.strictObject({
  jobId: z.string(),
  type: JobType,
  processingMode: ProcessingMode,
  status: Status,
  totalItems: z.int().min(1),
  createdAt: DateTime,
  updatedAt: DateTime,
  error: z.string().nullable(),
  tasks: z.array(z.strictObject({ taskId: TaskId, status: Status, error: z.string().nullable() })),
});
export type JobStatus = z.infer<typeof JobStatus>;

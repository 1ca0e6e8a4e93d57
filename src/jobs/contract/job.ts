import { formatsInWords, ResultFormat as FormatName, VideoFormat as VideoKind } from "@segmentation/protocol";
import { z } from "zod";
import {
  ABSENT,
  DateTime,
  JobType,
  NextToken,
  pageLimit,
  ProcessingMode,
  Status,
  TaskId,
} from "../../shared/api/primitives.ts";
import {
  ASKS_NOTHING,
  checkObjects,
  checkRegions,
  ClipRegions,
  RefinedMask,
  Regions,
  requirePrompts,
} from "./region.ts";

const threshold = (fallback: number, description: string) =>
  z.number().min(0).max(1).default(fallback).meta({ description });

/** Returns true if a prompt has a visible character, and no NUL, which a mask's PNG can't store. */
const isLegible = (prompt: string): boolean => /[^\p{Cc}\p{Cf}\p{Z}]/u.test(prompt) && !prompt.includes("\0");

export const Prompts = z
  .array(z.string().min(1).refine(isLegible, { error: "must have words, and no NUL character" }))
  .min(1)
  .meta({ examples: [["cat", "chair"]] });

export const ONE_EACH =
  "Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that is repeated counts once.";

const generatePreview = (description: string) => z.boolean().default(false).meta({ description });

/** The formats of a picture's result, in addition to masks. */
export const ResultFormat = FormatName.meta({ id: "ImageFormat" });
export type ResultFormat = z.infer<typeof ResultFormat>;

/** The formats of a video's result, in addition to masks. */
export const VideoFormat = VideoKind.meta({ id: "VideoFormat" });
export type VideoFormat = z.infer<typeof VideoFormat>;

const formats = <Format extends z.ZodType>(format: Format, description: string) =>
  z.array(format).optional().meta({ description });

/** The first job of the same uploads, in a job's status and in the list. */
const continued = {
  continues: z.string().optional().meta({
    description:
      "The job to which this one adds, always the first of its uploads, which may have been deleted since. Absent if it adds to none. A client shows one entry for both.",
  }),
};

const Continues = z.string().min(1).max(200).optional().meta({
  description:
    "An earlier job of this account with all of this job's tasks. This job continues it, or the job that it continues itself. Both stay separate jobs; clients show them as one.",
});

/** Returns the complaint about a field that the chosen variant does not have; the field's name precedes it. */
const foreign = (job: string) => ({
  error: ({ code }: { code?: string | undefined }) =>
    code === "unrecognized_keys" ? `does not belong to ${job} job` : undefined,
});

/** The image variant of POST /v1/jobs. */
export const ImageJobRequest = z
  .strictObject(
    {
      type: z.literal("image"),
      prompts: Prompts.optional().meta({
        description: `${ONE_EACH} May be left out if each task has a region, or if \`formats\` has \`embedding\`.`,
      }),
      regions: Regions.optional(),
      tasks: z
        .array(TaskId)
        .min(1)
        .max(100)
        .meta({ description: "The taskIds of the uploaded images, each once." }),
      generatePreview: generatePreview(
        "If true, the result includes a preview: each image with its masks drawn on it.",
      ),
      threshold: threshold(0.5, "Objects with a lower confidence are left out."),
      maskThreshold: threshold(0.5, "Pixels with a lower probability are left out of the mask."),
      continues: Continues,
      formats: formats(
        ResultFormat,
        `Additional formats of the result: ${formatsInWords("image")}. Each adds assets.`,
      ),
    },
    foreign("an image"),
  )
  .superRefine(requirePrompts, { when: () => true })
  .superRefine(checkRegions)
  .meta({
    id: "ImageJobRequest",
    not: ASKS_NOTHING,
    examples: [
      {
        type: "image",
        prompts: ["cat", "chair"],
        tasks: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"],
        generatePreview: true,
      },
    ],
  });

export type ImageJobRequest = z.infer<typeof ImageJobRequest>;

/** The video variant; `fps` and `numFrames` exclude each other, `maxFrames` bounds either. */
const VideoJobRequest = z
  .strictObject(
    {
      type: z.literal("video"),
      prompts: Prompts.optional().meta({
        description: `${ONE_EACH} May be left out if there are regions.`,
      }),
      regions: ClipRegions.optional(),
      tasks: z.array(TaskId).length(1).meta({ description: "The taskId of the uploaded video." }),
      generatePreview: generatePreview(
        "If true, the result includes a preview video with the masks drawn on it.",
      ),
      scoreThreshold: threshold(0, "Objects with a lower confidence are left out."),
      fps: z.number().positive().optional().meta({
        description: "Frames to process per second of video. Cannot be combined with numFrames.",
      }),
      numFrames: z
        .int()
        .min(1)
        .optional()
        .meta({ description: "Number of frames to process in all. Cannot be combined with fps." }),
      maxFrames: z.int().min(1).optional().meta({ description: "The maximum number of frames to process." }),
      continues: Continues,
      formats: formats(VideoFormat, `Additional formats of the result: ${formatsInWords("video")}.`),
    },
    foreign("a video"),
  )
  .refine((job) => job.fps === undefined || job.numFrames === undefined, {
    error: "cannot be combined with fps; send only one of the two",
    path: ["numFrames"],
  })
  .superRefine(requirePrompts, { when: () => true })
  .superRefine(checkRegions)
  .superRefine(checkObjects)
  .meta({
    id: "VideoJobRequest",
    not: {
      anyOf: [
        { required: ["fps", "numFrames"], properties: { fps: {}, numFrames: {} } },
        { properties: { prompts: ABSENT, regions: ABSENT } },
      ],
    },
    examples: [
      {
        type: "video",
        prompts: ["dog"],
        tasks: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"],
        fps: 2,
        maxFrames: 120,
      },
      {
        type: "video",
        tasks: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"],
        regions: [
          {
            taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
            timeSeconds: 0.5,
            points: [{ x: 400, y: 200, label: 1 }],
            label: "camel",
          },
        ],
      },
    ],
  });

/** POST /v1/jobs: one variant per job type; a field of another variant is refused. */
export const CreateJobRequest = z
  .discriminatedUnion("type", [ImageJobRequest, VideoJobRequest])
  .meta({ id: "CreateJobRequest" });
export type CreateJobRequest = z.infer<typeof CreateJobRequest>;

/** Section 2.4 of the specification; `trial` for a trial account. */
export const AcceptedJob = z
  .strictObject({
    jobId: z.string(),
    type: JobType,
    totalItems: z.int().min(1),
    trial: z.strictObject({ remainingTokens: z.int().min(0), expiresAt: DateTime }).optional(),
  })
  .meta({
    id: "AcceptedJob",
    examples: [{ jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21", type: "image", totalItems: 1 }],
  });
export type AcceptedJob = z.infer<typeof AcceptedJob>;

/** GET /v1/jobs. */
export const ListJobsQuery = z.object({
  limit: pageLimit("jobs"),
  nextToken: NextToken.meta({
    description: "The nextToken of the previous page. Send it with the same filters.",
  }),
  jobId: z.string().max(200).optional().meta({ description: "Only this job, if it belongs to the account." }),
  continues: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "Only jobs that add to this job, the first of its uploads." }),
  mode: ProcessingMode.optional().meta({ description: "Only jobs of this processing mode." }),
  status: Status.optional().meta({ description: "Only jobs with this status." }),
});
export type ListJobsQuery = z.infer<typeof ListJobsQuery>;

export const RetrieveJobQuery = z.object({
  include: z.enum(["request"]).optional().meta({
    description:
      "`request`: the status also has `prompts` and `refines`, what the job was asked for. Without it, a status has the same fields for every job.",
  }),
});
export type RetrieveJobQuery = z.infer<typeof RetrieveJobQuery>;

export const RetrieveJobResultQuery = z.object({
  include: z.enum(["unfinished"]).optional().meta({
    description:
      "`unfinished`: a job in progress also has a result, that of its tasks which have succeeded so far. Without it, such a job has none: 409.",
  }),
});

/** Section 2.2 of the specification. */
export const JobSummary = z
  .strictObject({
    jobId: z.string(),
    type: JobType,
    processingMode: ProcessingMode,
    totalItems: z.int().min(0),
    status: Status,
    createdAt: DateTime,
    updatedAt: DateTime,
    error: z.string().nullable(),
    ...continued,
  })
  .meta({ id: "JobSummary" });
export type JobSummary = z.infer<typeof JobSummary>;

export const JobList = z
  .strictObject({
    items: z.array(JobSummary),
    nextToken: z.string().nullable(),
  })
  .meta({
    id: "JobList",
    examples: [
      {
        items: [
          {
            jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
            type: "image",
            processingMode: "single",
            totalItems: 1,
            status: "success",
            createdAt: "2026-11-20T09:30:00.000Z",
            updatedAt: "2026-11-20T09:30:04.000Z",
            error: null,
          },
        ],
        nextToken: null,
      },
    ],
  });
export type JobList = z.infer<typeof JobList>;

/** Section 2.3 of the specification: never with masks. */
export const JobStatus = z
  .strictObject({
    jobId: z.string(),
    type: JobType,
    processingMode: ProcessingMode,
    status: Status,
    totalItems: z.int().min(1),
    createdAt: DateTime,
    updatedAt: DateTime,
    error: z.string().nullable(),
    tasks: z.array(z.strictObject({ taskId: TaskId, status: Status, error: z.string().nullable() })),
    ...continued,
    prompts: z.array(z.string()).optional().meta({
      description:
        "The job's prompts. Only in the response of retrieveJob with `include=request`; absent if it has none.",
    }),
    refines: z.array(RefinedMask).optional().meta({
      description:
        "The masks that its regions correct, in the order of the regions. Only in the response of retrieveJob with `include=request`; absent if they correct none.",
    }),
  })
  .meta({
    id: "JobStatus",
    examples: [
      {
        jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        type: "image",
        processingMode: "single",
        status: "processing",
        totalItems: 1,
        createdAt: "2026-11-20T09:30:00.000Z",
        updatedAt: "2026-11-20T09:30:01.000Z",
        error: null,
        tasks: [{ taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", status: "processing", error: null }],
      },
    ],
  });
export type JobStatus = z.infer<typeof JobStatus>;

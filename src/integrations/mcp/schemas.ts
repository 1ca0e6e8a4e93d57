import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { AccountOverview } from "../../accounts/contract/account.ts";
import { ArchiveDownload } from "../../jobs/contract/archive.ts";
import { ImageJobRequest, JobList, JobStatus, ListJobsQuery } from "../../jobs/contract/job.ts";
import { Model } from "../../models/contract/model.ts";
import { PATH_PARAMETERS } from "../../shared/api/operation.ts";
import { PublicUrl, Status, TaskId, UploadContentType } from "../../shared/api/primitives.ts";
import { Box, Points } from "../../jobs/contract/region.ts";
import { PresignRequest, Upload } from "../../uploads/contract/upload.ts";
import { AccountUsage, UsageQuery } from "../../billing/contract/usage.ts";
import { MOST_INLINE_BYTES } from "../../segment/contract/segment.ts";
import { WAIT_SECONDS } from "../jobs.ts";
import { isNothing, withoutNothing } from "../nothing.ts";

/** Converts a tool's schema to JSON Schema once: for all tools that takes as much time as many other requests. */
function convertedOnce<In, Out>(schema: StandardSchemaWithJSON<In, Out>): StandardSchemaWithJSON<In, Out> {
  const { jsonSchema, ...standard } = schema["~standard"];
  const known: { input?: Record<string, unknown>; output?: Record<string, unknown> } = {};
  const once = {
    input: (options: Parameters<typeof jsonSchema.input>[0]) => (known.input ??= jsonSchema.input(options)),
    output: (options: Parameters<typeof jsonSchema.output>[0]) =>
      (known.output ??= jsonSchema.output(options)),
  };
  return { "~standard": { ...standard, jsonSchema: once } };
}

/** A tool's arguments: a field that is null, "" or [] is absent. */
function given<In, Out>(schema: StandardSchemaWithJSON<In, Out>): StandardSchemaWithJSON<In, Out> {
  const { validate, ...standard } = convertedOnce(schema)["~standard"];
  return {
    "~standard": {
      ...standard,
      validate: (value) => validate(isNothing(value) ? {} : withoutNothing(value)),
    },
  };
}

const { jobId } = PATH_PARAMETERS;

const Picture = z
  .union(
    [
      z.strictObject({ url: PublicUrl }),
      z.strictObject({ taskId: TaskId }),
      z.strictObject({
        base64: z.string().max(Math.ceil(MOST_INLINE_BYTES / 3) * 4),
        mimeType: UploadContentType,
      }),
      TaskId.transform((taskId) => ({ taskId })),
      PublicUrl.transform((url) => ({ url })),
    ],
    "must be an https URL, a taskId, a data: URL, or an object: {url}, {taskId} or {base64, mimeType} of up to 5 MB. For a file, use create_upload",
  )
  .meta({
    description:
      "The picture: its https URL, the taskId of an upload (of create_upload, or of an earlier call), or its bytes, up to 5 MB. A video needs a URL or a taskId.",
  });

const Segment = z.strictObject({
  image: Picture,
  prompts: ImageJobRequest.shape.prompts,
  points: Points.optional(),
  box: Box.optional(),
  threshold: ImageJobRequest.shape.threshold,
});

const Job = z.strictObject({ jobId });

const Wait = Job.extend({
  waitSeconds: z.int().min(0).max(WAIT_SECONDS).default(WAIT_SECONDS).meta({
    description: "For how many seconds to wait for the end; 0 for the state as it is.",
  }),
});

/** An operation's query, with numbers as strings. */
const List = ListJobsQuery.extend({
  limit: z.int().min(1).max(100).default(25).meta({ description: "The maximum number of jobs on a page." }),
}).strict();

const Masks = Job.extend({
  taskId: TaskId.optional().meta({
    description: "Picture of the job; the first by default.",
  }),
  as: z.enum(["links", "rle", "polygons"]).default("links").meta({
    description:
      "`links`: signed URLs of PNG files; `rle`: COCO's compressed run lengths; `polygons`: outlines in pixels.",
  }),
  tolerance: z.number().min(0).max(100).default(1).meta({
    description:
      "By how many pixels a polygon may leave the mask's outline: a larger number means fewer points.",
  }),
  from: z
    .int()
    .min(0)
    .default(0)
    .meta({ description: "The index of the first object: `nextFrom` of the previous answer." }),
});
export type MasksArguments = z.infer<typeof Masks>;

const FoundMask = z.strictObject({
  index: z.int().meta({ description: "The mask's index." }),
  prompt: z.string().optional().meta({ description: "The prompt that it was found by." }),
  region: z.int().optional().meta({ description: "Or the region that it was drawn for, by its index." }),
  confidence: z.number(),
  box: z.array(z.number()).nullable().meta({
    description: "[x, y, width, height] in pixels; null if the mask is empty or its shape is not known.",
  }),
  area: z.number().nullable().meta({ description: "Number of pixels in the mask." }),
  maskUrl: z.url().optional().meta({ description: "A signed URL of the mask, a PNG with values 0 and 255." }),
  rle: z
    .strictObject({ size: z.array(z.int()), counts: z.string() })
    .optional()
    .meta({ description: "COCO's compressed run lengths; `size` is [height, width]." }),
  polygons: z
    .array(z.array(z.number()))
    .optional()
    .meta({ description: "Closed outlines x, y, x, y, …; first a part's, then those of its holes." }),
});
export type FoundMask = z.infer<typeof FoundMask>;

/** The answer of `segment` and `get_masks`. */
const MasksFound = z.strictObject({
  jobId,
  taskId: TaskId.meta({ description: "The picture, for further calls." }),
  status: Status,
  error: z.string().nullable().meta({ description: "Why the job failed." }),
  width: z.int().nullable().meta({ description: "Of the picture, in pixels; null while it is not known." }),
  height: z.int().nullable(),
  objects: z.array(FoundMask),
  nextFrom: z
    .int()
    .nullable()
    .meta({ description: "The index of the next object, for get_masks; null if these are all." }),
  clip: z
    .strictObject({
      framesProcessed: z.int(),
      framesWithMasks: z.int(),
      totalMasks: z.int(),
      masksUrl: z.url(),
    })
    .optional()
    .meta({
      description: "Of a video, in place of objects: counts, and the URL of all frames' masks as JSON.",
    }),
});
export type MasksAnswer = z.infer<typeof MasksFound>;

/** The tools' arguments and answers, by the contract's schemas. */
export const SCHEMAS = {
  segment: { input: given(Segment), output: convertedOnce(MasksFound) },
  get_job: {
    input: given(Wait),
    output: convertedOnce(
      JobStatus.extend({
        progress: z.number().min(0).max(1).meta({ description: "The share of the job's work that is done." }),
      }),
    ),
  },
  list_jobs: { input: given(List), output: convertedOnce(JobList) },
  get_masks: { input: given(Masks), output: convertedOnce(MasksFound) },
  export: { input: given(Wait), output: convertedOnce(ArchiveDownload) },
  cancel_job: { input: given(Job), output: convertedOnce(JobStatus) },
  create_upload: { input: given(PresignRequest.strict()), output: convertedOnce(Upload) },
  describe_model: { input: given(z.strictObject({})), output: convertedOnce(Model) },
  usage: {
    input: given(UsageQuery.strict()),
    output: convertedOnce(AccountOverview.extend(AccountUsage.shape)),
  },
} as const;

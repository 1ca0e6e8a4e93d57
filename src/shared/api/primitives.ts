import { z } from "zod";

/** An upload's id: a lowercase UUID, a dot, a file extension. */
export const TaskId = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[a-z0-9][a-z0-9.-]{0,63}$/,
    "must be a taskId from POST /v1/uploads/presign: <uuid>.<extension>",
  )
  .meta({
    id: "TaskId",
    description: "The id of an upload: a lowercase UUID, a dot and a file extension.",
    examples: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"],
  });

/** The content types that an upload may have. */
export const UploadContentType = z
  .string()
  .max(100)
  .regex(
    /^(?:(?:image|video)\/[\x21-\x3a\x3c-\x7e]+|application\/octet-stream)$/i,
    "must be image/…, video/… or application/octet-stream, without parameters",
  )
  .meta({
    description:
      "The file's MIME type: image/…, video/… or application/octet-stream, without parameters, in upper or lower case, at most 100 characters.",
  });

/** JSON Schema of a forbidden field; `false` means the same, but many readers of OpenAPI do not support it. */
export const ABSENT = { not: {} };

/** The longest URL that a client may name, in characters. */
export const MOST_URL_CHARACTERS = 2_048;

/** A URL to which the service sends requests for a client; `src/shared/public-url.ts` says which it takes. */
export const PublicUrl = z
  .string()
  .min(1)
  .max(MOST_URL_CHARACTERS)
  .meta({
    description:
      "An https URL of a public host, without user name and password, that is not this service's own; at most 2,048 characters.",
    examples: ["https://example.com/pictures/cat.jpg"],
  });

export const JobType = z.enum(["image", "video"]).meta({ id: "JobType" });
export type JobType = z.infer<typeof JobType>;

export const ProcessingMode = z.enum(["single", "batch", "video"]).meta({
  id: "ProcessingMode",
  description: "`single`: one image; `batch`: several; `video`: one video.",
});
export type ProcessingMode = z.infer<typeof ProcessingMode>;

/** The four states of a job and of each of its tasks. */
export const Status = z.enum(["queued", "processing", "success", "failed"]).meta({
  id: "Status",
  description: "The state of a job or of one of its tasks. `success` and `failed` are final.",
});
export type Status = z.infer<typeof Status>;

/** ISO 8601 UTC with milliseconds. */
export const DateTime = z.iso.datetime({ precision: 3 }).meta({
  description: "ISO 8601 in UTC, with milliseconds.",
  examples: ["2026-11-20T09:30:00.000Z"],
});

/** A time (epoch milliseconds) as a DateTime. */
export const isoOf = (time: number): string => new Date(time).toISOString();

/** A time, or null, as a DateTime or null. */
export const isoOrNull = (time: number | null): string | null => (time === null ? null : isoOf(time));

/** Returns the schema of a page's maximum number of items. */
export const pageLimit = (things: string) =>
  z
    .string()
    .regex(/^\d{1,3}$/, "must be an integer from 1 to 100")
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(25)
    .meta({ description: `The maximum number of ${things} on a page.` });

export const NextToken = z.string().max(2_000).optional();

import { z } from "zod";
import { DateTime, TaskId } from "./primitives.ts";

/** The manifest's references are signed URLs in the API and archive-relative paths in the zip. */
function imageManifest<Reference extends z.ZodType>(reference: Reference) {
  return z.strictObject({
    jobId: z.string(),
    type: z.literal("image"),
    prompts: z.array(z.string()),
    items: z.array(
      z.strictObject({
        taskId: TaskId,
        inputId: z.string(),
        units: z.int(),
        generatedAt: DateTime,
        previewUrl: reference.optional(),
        masks: z.array(z.strictObject({ maskIndex: z.int().min(0), confidence: z.number(), url: reference })),
      }),
    ),
  });
}

/** Section 2.5, as the API gives it. */
export const ImageManifest = imageManifest(z.url());
export type ImageManifest = z.infer<typeof ImageManifest>;

/** The same as it lies in an archive: `output_manifest.json`. */
export const ArchivedManifest = imageManifest(z.string());
export type ArchivedManifest = z.infer<typeof ArchivedManifest>;

/** GET /v1/jobs/{jobId}/result; every `expiresIn` in seconds, equal to the signatures' life. */
export const JobResult = z.strictObject({
  manifest: ImageManifest,
  assets: z.array(z.strictObject({ key: z.string(), url: z.url(), expiresIn: z.int().min(60) })),
  expiresIn: z.int().min(60),
});
export type JobResult = z.infer<typeof JobResult>;

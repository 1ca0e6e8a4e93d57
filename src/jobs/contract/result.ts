import { z } from "zod";
import { DateTime, TaskId } from "../../shared/api/primitives.ts";

/** The fields of an item for every job type. */
const item = <Reference extends z.ZodType>(reference: Reference) => ({
  taskId: TaskId,
  inputId: z.string(),
  units: z.int(),
  generatedAt: DateTime,
  previewUrl: reference.optional(),
});

/** The manifest's references are signed URLs in the API and archive-relative paths in the zip. */
function imageManifest<Reference extends z.ZodType>(reference: Reference) {
  return z.strictObject({
    jobId: z.string(),
    type: z.literal("image"),
    prompts: z.array(z.string()),
    items: z.array(
      z.strictObject({
        ...item(reference),
        masks: z.array(z.strictObject({ maskIndex: z.int().min(0), confidence: z.number(), url: reference })),
      }),
    ),
  });
}

/** Section 2.5 of the specification, as the API gives it. */
const ImageManifest = imageManifest(z.url()).meta({
  id: "ImageManifest",
  description:
    "The tasks that succeeded, in the order of the request. Each mask is a single-channel PNG of the image's size, with values 0 and 255.",
});

/** As above, for a video job: `masks` refers to masks.json, `units` are the frames processed. */
function videoManifest<Reference extends z.ZodType>(reference: Reference) {
  return z.strictObject({
    jobId: z.string(),
    type: z.literal("video"),
    prompts: z.array(z.string()),
    items: z.array(
      z.strictObject({
        ...item(reference),
        masks: reference,
        fps: z.number().optional(),
        numFrames: z.int().optional(),
        maxFrames: z.int().optional(),
        scoreThreshold: z.number(),
        counts: z.strictObject({
          framesProcessed: z.int().min(0),
          framesWithMasks: z.int().min(0),
          totalMasks: z.int().min(0),
        }),
      }),
    ),
  });
}

/** The video variant, as the API gives it. */
const VideoManifest = videoManifest(z.url()).meta({
  id: "VideoManifest",
  description:
    "`masks` is the URL of masks.json, which lists every processed frame with each object's mask as a compressed COCO RLE. `fps`, `numFrames` and `maxFrames` are the values of the request.",
});

/** The manifests in an archive: `output_manifest.json`. */
export const ArchivedImageManifest = imageManifest(z.string());
export const ArchivedVideoManifest = videoManifest(z.string());
export const ArchivedManifest = z.discriminatedUnion("type", [ArchivedImageManifest, ArchivedVideoManifest]);
export type ArchivedManifest = z.infer<typeof ArchivedManifest>;

function jobResult<Manifest extends z.ZodType>(manifest: Manifest) {
  return z.strictObject({
    manifest,
    assets: z.array(z.strictObject({ key: z.string(), url: z.url(), expiresIn: z.int().min(60) })),
    expiresIn: z.int().min(60),
  });
}

/** GET /v1/jobs/{jobId}/result; every `expiresIn` is in seconds and equals the signatures' validity. */
export const JobResult = jobResult(
  z.discriminatedUnion("type", [ImageManifest, VideoManifest]).meta({ id: "Manifest" }),
).meta({
  id: "JobResult",
  examples: [
    {
      manifest: {
        jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        type: "image",
        prompts: ["cat"],
        items: [
          {
            taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
            inputId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
            units: 1,
            generatedAt: "2026-11-20T09:30:03.000Z",
            masks: [
              {
                maskIndex: 0,
                confidence: 0.93,
                url: "https://storage.example.com/masks/0.png?X-Amz-Signature=0f",
              },
            ],
          },
        ],
      },
      assets: [
        {
          key: "masks/3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg/0.png",
          url: "https://storage.example.com/masks/0.png?X-Amz-Signature=0f",
          expiresIn: 900,
        },
      ],
      expiresIn: 900,
    },
  ],
});

/** As above, for an image job. */
export const ImageJobResult = jobResult(ImageManifest);
export type ImageJobResult = z.infer<typeof ImageJobResult>;

/** As above, for a video job. */
export const VideoJobResult = jobResult(VideoManifest);

import { z } from "zod";
import { ImageJobRequest, ONE_EACH, Prompts } from "../../jobs/contract/job.ts";
import { PictureRegions, requirePrompts } from "../../jobs/contract/region.ts";
import { ABSENT, PublicUrl, TaskId } from "../../shared/api/primitives.ts";

/** Maximum bytes of a picture inside JSON. A larger one needs a form, a URL or an upload. */
export const MOST_INLINE_BYTES = 5_000_000;

/** Placeholder for a picture in base64, whose characters no schema reads. */
export const BASE64_PLACEHOLDER = "AAAA";

const { threshold, maskThreshold, generatePreview } = ImageJobRequest.shape;

const Picture = z
  .xor(
    [
      z.strictObject({ taskId: TaskId }).meta({ id: "UploadedPicture" }),
      z.strictObject({ url: PublicUrl }).meta({ id: "PictureAtUrl" }),
      z
        .strictObject({
          base64: z
            .string()
            .min(1)
            .max(Math.ceil(MOST_INLINE_BYTES / 3) * 4)
            .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/)
            .meta({ description: "The file's bytes in base64, up to 5 MB. Send a larger file in a form." }),
        })
        .meta({ id: "InlinePicture" }),
    ],
    "must be an object: {taskId}, {url}, or {base64} of up to 5 MB. For a larger file, send a form",
  )
  .meta({ description: "The picture: an upload of this account, a public https URL, or the file's bytes." });

const rle = z.boolean().default(false).meta({
  description: "If true, each object also has its mask as COCO's compressed run lengths.",
});

/** POST /v1/segment, as JSON. */
export const SegmentRequest = z
  .strictObject({
    image: Picture,
    prompts: Prompts.optional().meta({ description: `${ONE_EACH} May be left out if there are regions.` }),
    regions: PictureRegions.optional(),
    threshold,
    maskThreshold,
    generatePreview,
    rle,
  })
  .superRefine(requirePrompts, { when: () => true })
  .meta({
    id: "SegmentRequest",
    not: { properties: { prompts: ABSENT, regions: ABSENT } },
    examples: [{ image: { taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg" }, prompts: ["cat", "chair"] }],
  });
export type SegmentRequest = z.infer<typeof SegmentRequest>;

const text = (description: string) => z.string().optional().meta({ description });

/** POST /v1/segment, as a form: each field has the meaning of the JSON field of that name. */
export const SegmentFormRequest = z
  .strictObject({
    image: z.string().meta({ format: "binary", description: "The picture's file." }),
    prompt: z.array(z.string()).optional().meta({
      description: "Words for the objects to find: one thing per field. Repeat it for further prompts.",
    }),
    region: z
      .array(z.string())
      .optional()
      .meta({
        description:
          "A region: `x,y` is a point on an object, `x,y;!x,y` has another one outside it, and `x,y,width,height` is a box. `saucer: 430,200` names it. Repeat it for further regions.",
        examples: [["saucer: 430,200", "40,60,120,80"]],
      }),
    threshold: text("A number: objects with a lower confidence are left out. 0.5 if it is left out."),
    maskThreshold: text("A number: pixels with a lower probability are left out. 0.5 if it is left out."),
    generatePreview: text("`true` for a preview."),
    rle: text("`true` for run lengths."),
  })
  .meta({ id: "SegmentFormRequest" });

const FoundObject = z.strictObject({
  index: z.int().min(0).meta({ description: "The mask's `maskIndex` in the job's result." }),
  prompt: z.string().optional().meta({ description: "The prompt that found it." }),
  label: z.string().optional().meta({
    description: "In place of `prompt`, the label of the region that it was drawn for; `region` without one.",
  }),
  confidence: z.number(),
  box: z
    .tuple([z.number(), z.number(), z.number(), z.number()])
    // Many readers of OpenAPI don't support the boolean schema that zod writes here.
    .meta({ items: { type: "number" } })
    .nullable()
    .meta({ description: "[x, y, width, height] in pixels; null if the mask is empty." }),
  area: z.int().min(0).meta({ description: "Number of pixels in the mask." }),
  maskUrl: z.url().meta({ description: "The signed URL of the mask, a PNG with values 0 and 255." }),
  rle: z
    .strictObject({
      size: z.tuple([z.int(), z.int()]).meta({ description: "[height, width].", items: { type: "integer" } }),
      counts: z.string().meta({ description: "The run lengths, as pycocotools reads them." }),
    })
    .optional()
    .meta({ description: "The mask as COCO's compressed run lengths, if the request has `rle`." }),
});

/** The objects in a picture. Each URL is valid as long as one of the job's result. */
export const Segmentation = z
  .strictObject({
    jobId: z.string(),
    width: z
      .int()
      .min(1)
      .meta({ description: "The picture's width in pixels, its EXIF orientation applied." }),
    height: z.int().min(1).meta({ description: "The picture's height in pixels." }),
    objects: z.array(FoundObject).meta({
      description: "By prompt, then by falling confidence; then one for each region.",
    }),
    previewUrl: z.url().optional(),
  })
  .meta({
    id: "Segmentation",
    examples: [
      {
        jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        width: 640,
        height: 480,
        objects: [
          {
            index: 0,
            prompt: "cat",
            confidence: 0.93,
            box: [40, 60, 120, 80],
            area: 7_204,
            maskUrl: "https://storage.example.com/masks/0.png?X-Amz-Signature=0f",
          },
        ],
      },
    ],
  });
export type Segmentation = z.infer<typeof Segmentation>;

/** The job of a request whose wait has ended before the job. */
export const UnfinishedSegmentation = z
  .strictObject({ jobId: z.string() })
  .meta({ id: "UnfinishedSegmentation", examples: [{ jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21" }] });
export type UnfinishedSegmentation = z.infer<typeof UnfinishedSegmentation>;

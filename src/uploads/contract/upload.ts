import { z } from "zod";
import { PublicUrl, TaskId, UploadContentType } from "../../shared/api/primitives.ts";

/** POST /v1/uploads/presign. The type becomes a signed header, so only visible ASCII can be taken. */
export const PresignRequest = z
  .object({
    contentType: UploadContentType,
    size: z.int().nonnegative().optional().meta({
      description:
        "The file's size in bytes. The uploadUrl then takes a file of exactly this size, which counts as uploaded at once. Without it, the service learns the size after the upload.",
    }),
  })
  .meta({ id: "PresignRequest", examples: [{ contentType: "image/jpeg", size: 184_320 }] });

/** Section 2.1 of the specification; `expiresIn` is in seconds and equals the signature's validity. */
export const Upload = z
  .strictObject({
    uploadUrl: z.url().meta({
      description:
        "PUT the file to this URL, with the same Content-Type as in the request, and of the same size if that was given.",
    }),
    taskId: TaskId,
    bucket: z.string(),
    expiresIn: z.int().positive().meta({ description: "For how many seconds uploadUrl is valid." }),
  })
  .meta({
    id: "Upload",
    examples: [
      {
        uploadUrl: "https://storage.example.com/segmentation-media/inputs/a/b?X-Amz-Signature=0f",
        taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
        bucket: "segmentation-media",
        expiresIn: 300,
      },
    ],
  });
export type Upload = z.infer<typeof Upload>;

/** POST /v1/uploads/parts. */
export const MultipartUploadRequest = z
  .object({
    contentType: UploadContentType,
    size: z.int().positive().meta({ description: "The file's size in bytes." }),
  })
  .meta({ id: "MultipartUploadRequest", examples: [{ contentType: "video/mp4", size: 1_200_000_000 }] });

/** S3 numbers the parts of an upload from 1 to 10,000. */
const PartNumber = z.int().min(1).max(10_000).meta({ description: "The part's number, from 1." });

/** A multipart upload, whose URLs are new in each answer; `expiresIn` in seconds. */
export const MultipartUpload = z
  .strictObject({
    taskId: TaskId,
    parts: z
      .array(
        z.strictObject({
          partNumber: PartNumber,
          size: z.int().positive().meta({ description: "Size of the part in bytes." }),
          uploadUrl: z.url().meta({
            description: "PUT the part's bytes to this URL, and keep the `ETag` of the response.",
          }),
        }),
      )
      .meta({
        description: "All parts, in the file's order. None once the upload is complete.",
      }),
    expiresIn: z.int().positive().meta({
      description:
        "For how many seconds the URLs are valid. Repeat the request with its Idempotency-Key for new ones.",
    }),
  })
  .meta({
    id: "MultipartUpload",
    examples: [
      {
        taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
        parts: [
          {
            partNumber: 1,
            size: 8_388_608,
            uploadUrl:
              "https://storage.example.com/segmentation-media/inputs/a/b?partNumber=1&uploadId=c&X-Amz-Signature=0f",
          },
        ],
        expiresIn: 3_600,
      },
    ],
  });
export type MultipartUpload = z.infer<typeof MultipartUpload>;

/** Maximum characters of an ETag: S3's has 34, the local storage's 130. */
const MOST_ETAG_CHARACTERS = 200;

/** POST /v1/uploads/{taskId}/complete. */
export const CompleteUploadRequest = z
  .object({
    parts: z
      .array(
        z.object({
          partNumber: PartNumber,
          etag: z
            .string()
            .min(1)
            .max(MOST_ETAG_CHARACTERS)
            .meta({ description: "The `ETag` that the storage has returned for the part." }),
        }),
      )
      .min(1)
      .max(10_000)
      .meta({ description: "All parts, in the file's order." }),
  })
  .meta({
    id: "CompleteUploadRequest",
    examples: [{ parts: [{ partNumber: 1, etag: '"0cc175b9c0f1b6a831c399e269772661"' }] }],
  });

/** A multipart upload whose parts are joined. */
export const CompletedUpload = z
  .strictObject({
    taskId: TaskId,
    size: z.int().nonnegative().meta({ description: "The file's size in bytes." }),
  })
  .meta({
    id: "CompletedUpload",
    examples: [{ taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4", size: 1_200_000_000 }],
  });
export type CompletedUpload = z.infer<typeof CompletedUpload>;

/** POST /v1/uploads/import. */
export const ImportRequest = z
  .object({ url: PublicUrl })
  .meta({ id: "ImportRequest", examples: [{ url: "https://example.com/pictures/cat.jpg" }] });

/** An upload that the service fetched itself. */
export const ImportedUpload = z
  .strictObject({
    taskId: TaskId,
    contentType: z
      .string()
      .meta({ description: "The file's type by its first bytes, not as its source declared it." }),
    size: z.int().positive().meta({ description: "The file's size in bytes." }),
  })
  .meta({
    id: "ImportedUpload",
    examples: [
      {
        taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
        contentType: "image/jpeg",
        size: 184_320,
      },
    ],
  });
export type ImportedUpload = z.infer<typeof ImportedUpload>;

import { z } from "zod";
import { PublicUrl, TaskId } from "./primitives.ts";

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
export type PresignRequest = z.infer<typeof PresignRequest>;

/** Section 2.1 of the specification; `expiresIn` in seconds, equal to the signature's life. */
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

/** POST /v1/uploads/import. */
export const ImportRequest = z
  .object({ url: PublicUrl })
  .meta({ id: "ImportRequest", examples: [{ url: "https://example.com/pictures/cat.jpg" }] });
export type ImportRequest = z.infer<typeof ImportRequest>;

/** An upload that the service fetched itself. */
export const ImportedUpload = z
  .strictObject({
    taskId: TaskId,
    contentType: z
      .string()
      .meta({ description: "The file's type by its first bytes, whatever its source declared." }),
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

import { z } from "zod";
import { TaskId } from "./primitives.ts";

/** POST /v1/uploads/presign. The type becomes a signed header, so only visible ASCII can be taken. */
export const PresignRequest = z.object({
  contentType: z
    .string()
    .max(255)
    .regex(
      /^(?:(?:image|video)\/[\x21-\x3a\x3c-\x7e]+|application\/octet-stream)$/i,
      "must be image/…, video/… (without parameters) or application/octet-stream",
    ),
});
export type PresignRequest = z.infer<typeof PresignRequest>;

/** Section 2.1; `expiresIn` in seconds, equal to the signature's life. */
export const Upload = z.strictObject({
  uploadUrl: z.url(),
  taskId: TaskId,
  bucket: z.string(),
  expiresIn: z.int().positive(),
});
export type Upload = z.infer<typeof Upload>;

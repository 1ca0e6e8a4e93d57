import type { JobType } from "../contract/primitives.ts";
import { ServiceError } from "../core/errors.ts";
import type { JobDefinition } from "../core/job/state.ts";
import { jobTypeOf, SNIFF_BYTES, sniffMedia } from "../core/media-type.ts";
import { inputKey } from "../core/object-keys.ts";
import { mapPool } from "../core/pool.ts";
import type { Platform } from "../stores/platform.ts";
import type { UploadRecord } from "../stores/uploads.ts";

/** A Worker has six connections at a time; more would only wait. */
const CONNECTIONS = 6;

const mismatch = (taskId: string, type: JobType): ServiceError =>
  new ServiceError("task_type_mismatch", `${taskId} is not ${type === "image" ? "a picture" : "a video"}.`);

/** An upload by its bytes; `format` is null where they are of no known kind. */
export interface SeenUpload {
  readonly taskId: string;
  readonly format: string | null;
}

/**
 * Looks at each upload of a new job: owned, of the job's type by name and by its first bytes, complete, not too
 * large. Bytes of neither type pass: the inference service tells that task what is wrong with them, and no other.
 * @throws ServiceError task_not_owned, task_type_mismatch, upload_incomplete or upload_too_large.
 */
export async function checkUploads(
  { media, settings }: Platform,
  { accountId, type, taskIds }: JobDefinition,
  owned: readonly UploadRecord[],
): Promise<SeenUpload[]> {
  if (owned.length < taskIds.length) throw new ServiceError("task_not_owned");
  for (const { taskId, contentType } of owned) {
    if ((jobTypeOf(contentType) ?? type) !== type) throw mismatch(taskId, type);
  }
  const maxBytes = type === "image" ? settings.MAX_IMAGE_BYTES : settings.MAX_VIDEO_BYTES;
  return mapPool(taskIds, CONNECTIONS, async (taskId) => {
    const upload = await media.head(inputKey(accountId, taskId), SNIFF_BYTES);
    if (upload === null) {
      throw new ServiceError(
        "upload_incomplete",
        `${taskId} has not been uploaded. PUT it to its uploadUrl.`,
      );
    }
    if (upload.size > maxBytes) {
      throw new ServiceError("upload_too_large", `${taskId} is larger than ${maxBytes} bytes.`);
    }
    const seen = sniffMedia(upload.head);
    if ((seen?.type ?? type) !== type) throw mismatch(taskId, type);
    return { taskId, format: seen?.format ?? null };
  });
}

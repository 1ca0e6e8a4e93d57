import type { RecordedUpload, StoredUpload } from "../core/jobs/admission.ts";
import type { ServiceError } from "../core/errors.ts";
import type { JobDefinition } from "../core/jobs/state.ts";
import { SNIFF_BYTES } from "../core/uploads/media-type.ts";
import { inputKey } from "../core/object-keys.ts";
import { mapPool } from "../core/lib/pool.ts";
import type { Platform } from "../platform.ts";
import { dropTooLarge } from "./drop-too-large.ts";

/** A Worker has six connections at a time; more would only wait. */
const CONNECTIONS = 6;

/**
 * The job's uploads as the bucket has them, in the request's order. What no job can take is deleted, and counts as bytes
 * of its account's day: nobody hides it from the inspection by asking for a job in time.
 * @param recorded the same uploads as they are on record, in any order
 * @throws the first refusal.
 */
export async function storedUploads(
  platform: Platform,
  { accountId, taskIds }: JobDefinition,
  recorded: readonly RecordedUpload[],
  refusalOf: (taskId: string, upload: StoredUpload | null) => ServiceError | null,
): Promise<StoredUpload[]> {
  const { media, uploads } = platform;
  const contentTypes = new Map(recorded.map(({ taskId, contentType }) => [taskId, contentType]));
  return mapPool(taskIds, CONNECTIONS, async (taskId) => {
    const upload = await media.peek(inputKey(accountId, taskId), SNIFF_BYTES);
    const refusal = refusalOf(taskId, upload);
    if (refusal === null && upload !== null) return upload;
    const contentType = contentTypes.get(taskId);
    if (upload !== null && contentType !== undefined) {
      const isDropped = await dropTooLarge(platform, accountId, { taskId, contentType }, upload.size);
      if (isDropped) await uploads.noteSize(taskId, upload.size);
    }
    throw refusal ?? new Error(`nothing refused ${taskId}, which is not there`);
  });
}

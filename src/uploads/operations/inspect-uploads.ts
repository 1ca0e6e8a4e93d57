import { mostBytesOf, type RecordedUpload } from "../rules/upload.ts";
import { nextInspection } from "../rules/lifetime.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { admissionTermsOf } from "../../feature-settings.ts";
import type { DueUpload, Inspection } from "../store/uploads.ts";

const PAGE = 100;
/** A run ends before the next one begins: six at a time, each some 50 ms. */
const MOST_A_RUN = 5_000;

/**
 * Inspects the due uploads, whose size was not signed and that no event of the bucket has reported: records their sizes, which
 * add to their accounts' bytes of the day, and deletes those that no job can take. The next run retries failed inspections.
 * @param most maximum number of uploads in one run; the others wait for the next
 */
export async function inspectUploads(platform: Platform, now: number, most = MOST_A_RUN): Promise<void> {
  let inspected = 0;
  let unreported = 0;
  try {
    const due = await platform.uploads.dueForInspection(now, most);
    const [oldest] = due;
    if (oldest === undefined) return;
    for (let i = 0; i < due.length; i += PAGE) {
      const page = due.slice(i, i + PAGE);
      const inspections = await mapPool(page, CONNECTIONS, (upload) => inspect(platform, upload, now));
      const done = inspections.filter((each) => each !== null);
      await platform.uploads.noteInspections(done, now);
      // No client can write any more to uploads that are inspected for the last time.
      const last = new Set(done.filter(({ inspectAt }) => inspectAt === null).map(({ taskId }) => taskId));
      const gone = page.filter(({ taskId, isDeleted }) => isDeleted && last.has(taskId));
      if (gone.length > 0) await platform.uploads.delete(gone.map(({ taskId }) => taskId));
      inspected += done.length;
      const unknown = new Set(page.filter(({ size }) => size === null).map(({ taskId }) => taskId));
      unreported += done.filter(({ taskId, size }) => size > 0 && unknown.has(taskId)).length;
    }
    const lateMs = now - oldest.inspectAt;
    log("info", "uploads_inspected", { inspected, due: due.length, lateMs, unreported });
  } catch (error) {
    log("error", "inspection_failed", { inspected, database: platform.database, reason: reasonOf(error) });
  }
}

/**
 * Returns the bucket's record of an upload; deletes the file if the upload is deleted or too large. Null if the bucket is
 * unreachable now.
 */
export async function inspect(
  platform: Platform,
  upload: Omit<DueUpload, "size">,
  now: number,
): Promise<Inspection | null> {
  const { accountId, taskId, presignedAt, isDeleted, multipartId } = upload;
  try {
    const key = inputKey(accountId, taskId);
    if (isDeleted && multipartId) await platform.media.abortParts(key, multipartId);
    const stored = await platform.media.peek(key);
    const size = stored?.size ?? 0;
    if (isDeleted) await platform.media.delete([key]);
    const isGone = isDeleted || (await dropTooLarge(platform, accountId, upload, size));
    return { taskId, size, seen: isGone ? null : stored, inspectAt: nextInspection(presignedAt, now) };
  } catch (error) {
    log("error", "inspection_failed", { account: accountId, taskId, reason: reasonOf(error) });
    return null;
  }
}

/** Deletes the object of an upload if it is larger than any job takes; its row stays. Returns true if it was. */
export async function dropTooLarge(
  { media, settings }: Platform,
  accountId: string,
  { taskId, contentType }: RecordedUpload,
  size: number,
): Promise<boolean> {
  if (size <= mostBytesOf(admissionTermsOf(settings), contentType)) return false;
  await media.delete([inputKey(accountId, taskId)]);
  log("warn", "upload_dropped", { account: accountId, taskId, contentType, size });
  return true;
}

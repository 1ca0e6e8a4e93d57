import { TaskId } from "../../contract/primitives.ts";
import { ServiceError } from "../../core/errors.ts";
import { DELETED_KEPT_MS } from "../../core/uploads/lifetime.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import type { UploadDeletion } from "../../stores/uploads/deleted-uploads.ts";
import { catchUp } from "../catch-up.ts";
import { lookAt } from "../inspect-uploads.ts";

/**
 * deleteUpload: no job may name the upload any more, and its bytes go. Its size counts for the account's day as ever, and the
 * inspection deletes what its URL, or a PUT that is under way, still brings.
 * @throws ServiceError upload_not_found, for a foreign upload as for a missing one; upload_in_use.
 */
export async function deleteUpload(
  platform: Platform,
  { accountId }: Account,
  taskId: string,
): Promise<void> {
  if (!TaskId.safeParse(taskId).success) throw new ServiceError("upload_not_found");
  const now = Date.now();
  const end = await mark(platform, accountId, taskId, now);
  if (end === null) throw new ServiceError("upload_not_found");
  if ("neededBy" in end) throw new ServiceError("upload_in_use", undefined, { activeJobId: end.neededBy });
  const look = await lookAt(platform, end.deleted, now);
  // What can't be looked at now is due for the inspection.
  if (look === null) return;
  const noted = { ...look, inspectAt: look.inspectAt ?? now + DELETED_KEPT_MS };
  await platform.uploads.noteInspections([noted], now);
}

/** Marks the upload; again if only the list's copy of a job, which may be behind, is in the way. */
async function mark(
  platform: Platform,
  accountId: string,
  taskId: string,
  now: number,
): Promise<UploadDeletion | null> {
  const end = await platform.deletedUploads.mark(accountId, taskId, now);
  if (end === null || "deleted" in end) return end;
  await catchUp(platform, end.neededBy);
  return platform.deletedUploads.mark(accountId, taskId, now);
}

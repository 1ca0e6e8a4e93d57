import { mostBytesOf, type RecordedUpload } from "../core/jobs/admission.ts";
import { log } from "../core/log.ts";
import { inputKey } from "../core/object-keys.ts";
import type { Platform } from "../platform.ts";
import { admissionTermsOf } from "../settings.ts";

/** Deletes the object of an upload if it is larger than any job takes; its row stays. Returns whether it was. */
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

import type { Upload } from "../../contract/upload.ts";
import { UPLOAD_SECONDS } from "../../core/uploads/lifetime.ts";
import { inputKey } from "../../core/object-keys.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import type { Platform } from "../../platform.ts";
import { newTaskId, recordUpload } from "../record-upload.ts";

/**
 * createUploadPresign: a new taskId, and a signed PUT for its bytes that accepts only this content type.
 * @throws ServiceError too_many_uploads.
 */
export async function createUploadPresign(
  platform: Platform,
  account: Account,
  contentType: string,
): Promise<Upload> {
  const { media } = platform;
  const taskId = newTaskId(contentType);
  const [uploadUrl] = await Promise.all([
    media.signUpload(inputKey(account.accountId, taskId), contentType, UPLOAD_SECONDS),
    recordUpload(platform, account, { taskId, contentType }),
  ]);
  return { uploadUrl, taskId, bucket: media.bucketName, expiresIn: UPLOAD_SECONDS };
}

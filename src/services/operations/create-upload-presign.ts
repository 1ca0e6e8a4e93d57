import type { Upload } from "../../contract/upload.ts";
import { extensionOf } from "../../core/media-type.ts";
import { inputKey } from "../../core/object-keys.ts";
import type { Account } from "../../stores/accounts.ts";
import type { Platform } from "../../platform.ts";

const UPLOAD_SECONDS = 300;

/** createUploadPresign: a new taskId, and a signed PUT for its bytes that accepts only this content type. */
export async function createUploadPresign(
  platform: Platform,
  account: Account,
  contentType: string,
): Promise<Upload> {
  const taskId = `${crypto.randomUUID()}.${extensionOf(contentType)}`;
  const { media, uploads } = platform;
  const [uploadUrl] = await Promise.all([
    media.signUpload(inputKey(account.accountId, taskId), contentType, UPLOAD_SECONDS),
    uploads.insert(account.accountId, { taskId, contentType }, Date.now()),
  ]);
  return { uploadUrl, taskId, bucket: media.bucketName, expiresIn: UPLOAD_SECONDS };
}

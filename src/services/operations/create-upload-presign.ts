import type { Upload } from "../../contract/upload.ts";
import { presignRefusal, uploadBudgetOf } from "../../core/account-budget.ts";
import { ServiceError } from "../../core/errors.ts";
import { UPLOAD_SECONDS } from "../../core/inspection.ts";
import { extensionOf } from "../../core/media-type.ts";
import { inputKey } from "../../core/object-keys.ts";
import { uploadBudgetsOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts.ts";
import type { Platform } from "../../platform.ts";

/**
 * createUploadPresign: a new taskId, and a signed PUT for its bytes that accepts only this content type.
 * @throws ServiceError too_many_uploads.
 */
export async function createUploadPresign(
  { media, settings, uploads }: Platform,
  { accountId, accessMode }: Account,
  contentType: string,
): Promise<Upload> {
  const taskId = `${crypto.randomUUID()}.${extensionOf(contentType)}`;
  const budget = uploadBudgetOf(uploadBudgetsOf(settings), accessMode);
  const now = Date.now();
  const [uploadUrl, isRecorded] = await Promise.all([
    media.signUpload(inputKey(accountId, taskId), contentType, UPLOAD_SECONDS),
    uploads.insert(accountId, { taskId, contentType }, budget, now),
  ]);
  if (!isRecorded) {
    const refusal = presignRefusal(budget, await uploads.use(accountId, now), now);
    throw refusal ?? new ServiceError("too_many_uploads");
  }
  return { uploadUrl, taskId, bucket: media.bucketName, expiresIn: UPLOAD_SECONDS };
}

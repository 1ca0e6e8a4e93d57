import { TaskId } from "../../contract/primitives.ts";
import type { ImportedUpload, Upload } from "../../contract/upload.ts";
import { presignRefusal, uploadBudgetOf } from "../../core/accounts/budgets.ts";
import { mostBytesOf } from "../../core/jobs/admission.ts";
import { ServiceError } from "../../core/errors.ts";
import { DELETED_KEPT_MS, UPLOAD_SECONDS } from "../../core/uploads/lifetime.ts";
import { contentTypeOf, extensionOf, SNIFF_BYTES } from "../../core/uploads/media-type.ts";
import { inputKey } from "../../core/object-keys.ts";
import type { Platform } from "../../platform.ts";
import { admissionTermsOf, importPatienceOf, publicUrlTermsOf, uploadBudgetsOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import type { Batching } from "../../stores/d1-store.ts";
import type { UploadDeletion } from "../../stores/uploads/deleted-uploads.ts";
import { ImportSource } from "../../stores/uploads/import-source.ts";
import type { NewUpload } from "../../stores/uploads/uploads.ts";
import { catchUp } from "../catch-up.ts";
import { lookAt } from "../inspect-uploads.ts";
import type { OperationRequest } from "../operation-request.ts";
import { storeImport } from "../store-import.ts";

/**
 * createUploadPresign: a new taskId, and a signed PUT for its bytes that accepts only this content type, and only this size
 * if the request has one.
 * @throws ServiceError upload_too_large, too_many_uploads.
 */
export async function createUploadPresign({
  platform,
  account,
  door,
  body,
}: OperationRequest<"createUploadPresign">): Promise<Upload> {
  const { media, settings } = platform;
  const { contentType } = body;
  const size = body.size ?? null;
  const mostBytes = mostBytesOf(admissionTermsOf(settings), contentType);
  if (size !== null && size > mostBytes) {
    throw new ServiceError(
      "upload_too_large",
      `A file of type ${contentType} may have ${mostBytes / 1_000_000} MB. Upload a smaller one.`,
    );
  }
  const upload = { taskId: newTaskId(contentType), contentType, size };
  const [uploadUrl] = await Promise.all([
    media.signUpload(inputKey(account.accountId, upload.taskId), upload, UPLOAD_SECONDS),
    recordUpload(platform, account, upload, door),
  ]);
  const { taskId } = upload;
  return { uploadUrl, taskId, bucket: media.bucketName, expiresIn: UPLOAD_SECONDS };
}

/**
 * importUpload: fetches a public picture or video into the bucket. Whatever fails leaves no upload behind.
 * @param client aborts when the client disconnects: nobody would learn the taskId
 * @throws ServiceError url_forbidden, import_failed, import_type_unsupported, upload_too_large, too_many_uploads.
 */
export async function importUpload(
  { platform, account, body: { url } }: OperationRequest<"importUpload">,
  client: AbortSignal,
): Promise<ImportedUpload> {
  const { settings } = platform;
  await refuseSpentBudget(platform, account, Date.now());
  const source = await ImportSource.open(url, publicUrlTermsOf(settings), importPatienceOf(settings), client);
  try {
    const head = await source.peek(SNIFF_BYTES);
    if (head.length === 0) {
      throw new ServiceError("import_failed", "The source answered with an empty file. Check the URL.");
    }
    const contentType = contentTypeOf(head, source.contentType);
    if (contentType === null) throw new ServiceError("import_type_unsupported");
    const mostBytes = mostBytesOf(admissionTermsOf(settings), contentType);
    source.refuseMoreThan(mostBytes);
    const taskId = newTaskId(contentType);
    await recordUpload(platform, account, { taskId, contentType, size: null });
    const size = await storeImport(platform, account.accountId, { taskId, contentType }, source);
    return { taskId, contentType, size };
  } finally {
    await source.close();
  }
}

/** A new upload's id, which ends in the extension of its content type. */
const newTaskId = (contentType: string): string => `${crypto.randomUUID()}.${extensionOf(contentType)}`;

const budgetOf = ({ settings }: Platform, { accessMode }: Account) =>
  uploadBudgetOf(uploadBudgetsOf(settings), accessMode);

/** Refuses an account that has used up its budget of uploads. @throws ServiceError too_many_uploads. */
async function refuseSpentBudget(
  platform: Platform,
  account: Account,
  now: number,
  size: number | null = null,
): Promise<void> {
  const use = await platform.uploads.use(account.accountId, now);
  const refusal = presignRefusal(budgetOf(platform, account), use, now, size);
  if (refusal !== null) throw refusal;
}

/** Records an upload whose bytes are still to come, if the account's budget has room. @throws ServiceError too_many_uploads. */
async function recordUpload(
  platform: Platform,
  account: Account,
  upload: NewUpload,
  door?: Batching,
): Promise<void> {
  const now = Date.now();
  const budget = budgetOf(platform, account);
  if (await platform.uploads.insert(account.accountId, upload, budget, now, door)) return;
  await refuseSpentBudget(platform, account, now, upload.size);
  throw new ServiceError("too_many_uploads");
}

/**
 * deleteUpload: no job may name the upload any more, and its bytes are deleted. Its size still counts for the account's day, and the
 * inspection deletes whatever its URL, or a PUT in progress, still uploads.
 * @throws ServiceError upload_not_found, for another account's upload as for a missing one; upload_in_use.
 */
export async function deleteUpload({
  platform,
  account: { accountId },
  taskId,
}: OperationRequest<"deleteUpload">): Promise<void> {
  if (!TaskId.safeParse(taskId).success) throw new ServiceError("upload_not_found");
  const now = Date.now();
  const end = await mark(platform, accountId, taskId, now);
  if (end === null) throw new ServiceError("upload_not_found");
  if ("neededBy" in end) throw new ServiceError("upload_in_use", undefined, { activeJobId: end.neededBy });
  const look = await lookAt(platform, end.deleted, now);
  // What can't be inspected now stays due for the inspection.
  if (look === null) return;
  const noted = { ...look, inspectAt: look.inspectAt ?? now + DELETED_KEPT_MS };
  await platform.uploads.noteInspections([noted], now);
}

/** Marks the upload as deleted; tries again if only the list's copy of a job, which may be behind, is in the way. */
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

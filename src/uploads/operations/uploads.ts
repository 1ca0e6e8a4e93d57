import { TaskId } from "../../shared/api/primitives.ts";
import {
  type CompletedUpload,
  type ImportedUpload,
  MultipartUpload,
  type Upload,
} from "../contract/upload.ts";
import { presignRefusal, uploadBudgetOf } from "../../accounts/rules/budgets.ts";
import { mostBytesOf } from "../rules/upload.ts";
import { ServiceError } from "../../shared/errors.ts";
import { DELETED_KEPT_MS, UPLOAD_SECONDS } from "../rules/lifetime.ts";
import { contentTypeOf, extensionOf } from "../../shared/bucket/media-type.ts";
import { PARTS_SECONDS, partSizesOf } from "../rules/parts.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import type { Platform } from "../../platform.ts";
import {
  admissionTermsOf,
  importPatienceOf,
  publicUrlTermsOf,
  uploadBudgetsOf,
} from "../../feature-settings.ts";
import type { Account } from "../../accounts/store/accounts.ts";
import type { Batching } from "../../shared/storage/d1-store.ts";
import type { UploadDeletion } from "../store/deleted-uploads.ts";
import { ImportSource } from "../store/import-source.ts";
import type { NewUpload } from "../store/uploads.ts";
import { catchUp } from "../../accounts/operations/catch-up.ts";
import { type Once, once } from "../../shared/api/idempotency.ts";
import { inspect } from "./inspect-uploads.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { type ArrivingFile, asImport, type Buffered, storeFile } from "./store-file.ts";

/**
 * createUploadPresign: a new taskId, and a signed PUT for its bytes that accepts only this content type, and only this size
 * if the request has one.
 * @throws ServiceError upload_too_large, too_many_uploads.
 */
export async function createUploadPresign({
  platform,
  account,
  preflight,
  body,
}: OperationRequest<"createUploadPresign">): Promise<Upload> {
  const { media } = platform;
  const { contentType } = body;
  const size = body.size ?? null;
  refuseLarger(platform, contentType, size ?? 0);
  const upload = { taskId: newTaskId(contentType), contentType, size };
  const [uploadUrl] = await Promise.all([
    media.signUpload(inputKey(account.accountId, upload.taskId), upload, UPLOAD_SECONDS),
    recordUpload(platform, account, upload, preflight),
  ]);
  const { taskId } = upload;
  return { uploadUrl, taskId, bucket: media.bucketName, expiresIn: UPLOAD_SECONDS };
}

/** Bytes of a source to wait for before its kind is decided: enough for almost all, and for slow sources. */
const PEEK_BYTES = 64;

/**
 * importUpload: fetches a public picture or video into the bucket. A failure leaves no upload behind.
 * @param client aborts when the client disconnects: it would not learn the taskId
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
    return await newUploadOf(platform, account, source, asImport(platform, account.accountId));
  } finally {
    await source.close();
  }
}

/**
 * Stores a file that arrives in pieces as a new upload. A failure leaves no upload behind.
 * @throws ServiceError import_failed for an empty file, import_type_unsupported, upload_too_large, too_many_uploads; as storeFile.
 */
export async function newUploadOf(
  platform: Platform,
  account: Account,
  file: ArrivingFile,
  buffered: Buffered,
): Promise<ImportedUpload> {
  const head = await file.peek(PEEK_BYTES);
  if (head.length === 0) {
    throw new ServiceError("import_failed", "The source answered with an empty file. Check the URL.");
  }
  const contentType = contentTypeOf(head, file.contentType);
  if (contentType === null) throw new ServiceError("import_type_unsupported");
  file.refuseMoreThan(mostBytesOf(admissionTermsOf(platform.settings), contentType));
  const taskId = newTaskId(contentType);
  await recordUpload(platform, account, { taskId, contentType, size: null });
  const size = await storeFile(platform, account.accountId, { taskId, contentType }, file, buffered);
  return { taskId, contentType, size };
}

/**
 * createMultipartUpload: a new taskId, and a signed PUT for each part of the file, which accepts only that part's size. A
 * repetition of the request gives new URLs, or none once the upload is complete.
 * @throws ServiceError upload_too_large, too_many_uploads; upload_not_found if the repeated request's upload is deleted.
 */
export async function createMultipartUpload({
  platform,
  account,
  body,
  idempotencyKey: key,
}: OperationRequest<"createMultipartUpload">): Promise<Once<MultipartUpload>> {
  const { accountId } = account;
  const { contentType, size } = body;
  refuseLarger(platform, contentType, size);
  const { answer, replayed } = await once(
    platform,
    { accountId, operation: "createMultipartUpload", key, body },
    () => newTaskId(contentType),
    MultipartUpload.pick({ taskId: true }),
    async (taskId) => {
      await beginParts(platform, account, { taskId, contentType, size });
      return { answer: { taskId }, remembered: { taskId } };
    },
  );
  const { taskId } = answer;
  const upload = await platform.uploads.find(accountId, taskId);
  if (upload === null) throw new ServiceError("upload_not_found");
  const { multipartId: uploadId } = upload;
  const objectKey = inputKey(accountId, taskId);
  const parts = (uploadId === null ? [] : partSizesOf(size)).map(async (each, i) => {
    const part = { uploadId: uploadId ?? "", partNumber: i + 1, size: each };
    const uploadUrl = await platform.media.signPart(objectKey, part, PARTS_SECONDS);
    return { partNumber: i + 1, size: each, uploadUrl };
  });
  return { answer: { taskId, parts: await Promise.all(parts), expiresIn: PARTS_SECONDS }, replayed };
}

/**
 * Records a multipart upload and begins it in the bucket, as far as an interrupted run has not.
 * @throws ServiceError too_many_uploads.
 */
async function beginParts(
  platform: Platform,
  account: Account,
  upload: { readonly taskId: string; readonly contentType: string; readonly size: number },
): Promise<void> {
  const { media, uploads } = platform;
  const { taskId, contentType } = upload;
  const known = await uploads.find(account.accountId, taskId);
  if (known === null) await recordUpload(platform, account, { ...upload, inParts: true });
  else if (known.multipartId !== "") return;
  const multipartId = await media.beginParts(inputKey(account.accountId, taskId), { contentType });
  await uploads.noteMultipart(taskId, multipartId);
}

/**
 * completeMultipartUpload: joins the parts to the upload's file. A repetition changes nothing.
 * @throws ServiceError upload_not_found, for another account's upload as for a missing one; upload_incomplete.
 */
export async function completeMultipartUpload({
  platform: { media, uploads },
  account: { accountId },
  taskId,
  body,
}: OperationRequest<"completeMultipartUpload">): Promise<CompletedUpload> {
  const upload = TaskId.safeParse(taskId).success ? await uploads.find(accountId, taskId) : null;
  if (upload === null) throw new ServiceError("upload_not_found");
  const { multipartId } = upload;
  const size = upload.size ?? 0;
  const key = inputKey(accountId, taskId);
  if (multipartId === null) {
    // It is complete, or came in one PUT.
    const stored = await media.peek(key);
    if (stored === null) throw new ServiceError("upload_incomplete");
    return { taskId, size: stored.size };
  }
  const wanted = partSizesOf(size).length;
  const isWhole =
    body.parts.length === wanted && body.parts.every(({ partNumber }, i) => partNumber === i + 1);
  if (!isWhole || multipartId === "")
    throw new ServiceError(
      "upload_incomplete",
      `The upload has ${wanted} parts. Name each of them once, with its ETag, from part 1 on.`,
    );
  const etags = body.parts.map(({ etag }) => etag.replaceAll('"', ""));
  if (!(await media.completeForeignParts(key, multipartId, etags)))
    throw new ServiceError(
      "upload_incomplete",
      "A part has not been uploaded, or has another ETag. PUT it to its uploadUrl, then complete the upload with its new ETag. If the URL has expired, repeat the request that began the upload with its Idempotency-Key, or begin another one.",
    );
  await uploads.noteMultipart(taskId, null);
  return { taskId, size };
}

/** Refuses a file of more bytes than any job takes. @throws ServiceError upload_too_large. */
function refuseLarger({ settings }: Platform, contentType: string, size: number): void {
  const mostBytes = mostBytesOf(admissionTermsOf(settings), contentType);
  if (size <= mostBytes) return;
  throw new ServiceError(
    "upload_too_large",
    `A file of type ${contentType} may have at most ${mostBytes / 1_000_000} MB. Upload a smaller one.`,
  );
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
  preflight?: Batching,
): Promise<void> {
  const now = Date.now();
  const budget = budgetOf(platform, account);
  if (await platform.uploads.insert(account.accountId, upload, budget, now, preflight)) return;
  await refuseSpentBudget(platform, account, now, upload.size);
  throw new ServiceError("too_many_uploads");
}

/**
 * deleteUpload: hides the upload from new jobs, and deletes its bytes. Its size still counts for the account's day. The
 * inspection deletes later uploads by its URL or a PUT in progress.
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
  const inspection = await inspect(platform, end.deleted, now);
  // A failed inspection stays due.
  if (inspection === null) return;
  const noted = { ...inspection, inspectAt: inspection.inspectAt ?? now + DELETED_KEPT_MS };
  await platform.uploads.noteInspections([noted], now);
}

/** Marks the upload as deleted; tries again if only the list's lagging copy of a job blocks it. */
async function mark(
  platform: Platform,
  accountId: string,
  taskId: string,
  now: number,
): Promise<UploadDeletion | null> {
  const end = await platform.deletedUploads.mark(accountId, taskId, now);
  if (end === null || "deleted" in end) return end;
  await catchUp(platform, end.neededBy);
  if (await platform.deletedUploads.isUnderWay(end.neededBy)) return end;
  return platform.deletedUploads.mark(accountId, taskId, now);
}

import type { ImportedUpload } from "../../contract/upload.ts";
import { mostBytesOf } from "../../core/jobs/admission.ts";
import { ServiceError } from "../../core/errors.ts";
import { contentTypeOf, SNIFF_BYTES } from "../../core/uploads/media-type.ts";
import type { Platform } from "../../platform.ts";
import { admissionTermsOf, importPatienceOf, publicUrlTermsOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { ImportSource } from "../../stores/uploads/import-source.ts";
import { newTaskId, recordUpload, refuseSpentBudget } from "../record-upload.ts";
import { storeImport } from "../store-import.ts";

/**
 * importUpload: fetches a public picture or video into the bucket. Whatever fails leaves no upload behind.
 * @param client aborts when the client has gone: nobody would learn the taskId
 * @throws ServiceError url_forbidden, import_failed, import_type_unsupported, upload_too_large, too_many_uploads.
 */
export async function importUpload(
  platform: Platform,
  account: Account,
  url: string,
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
    await recordUpload(platform, account, { taskId, contentType });
    const size = await storeImport(platform, account.accountId, { taskId, contentType }, source);
    return { taskId, contentType, size };
  } finally {
    await source.close();
  }
}

import type { RecordedUpload } from "../rules/upload.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import type { Platform } from "../../platform.ts";
import type { ImportSource } from "../store/import-source.ts";
import { PartsWriter, SizedWriter } from "../store/writers.ts";

/** Time until the next try if too many files of unknown size are being fetched. */
const RETRY_SECONDS = 30;
/** Memory of such an import: a part of its file. */
export const IMPORT_MIB = 8;

/**
 * Stores a source's bytes as the object of a recorded upload, and notes their number, which counts as uploaded. If it fails,
 * neither object nor record remains; the bytes received still count. Returns the object's size.
 * @throws ServiceError import_failed, upload_too_large
 */
export async function storeImport(
  platform: Platform,
  accountId: string,
  { taskId, contentType }: RecordedUpload,
  source: ImportSource,
): Promise<number> {
  const key = inputKey(accountId, taskId);
  try {
    await copy(platform, accountId, key, contentType, source);
    await platform.uploads.noteSize(taskId, source.received);
    return source.received;
  } catch (error) {
    await forget(platform, accountId, taskId, source.received);
    throw error;
  }
}

async function copy(
  platform: Platform,
  accountId: string,
  key: string,
  contentType: string,
  source: ImportSource,
): Promise<void> {
  const { media, bufferedImports, memory } = platform;
  if (source.size !== null) {
    return copyInto(new SizedWriter(media, key, { contentType }, source.size), source);
  }
  const store = async (): Promise<void> => {
    const upload = { uploadId: null, begun: () => Promise.resolve() };
    await copyInto(new PartsWriter(media, key, { contentType }, upload), source);
  };
  const now = Date.now();
  const outcome = await bufferedImports.within(accountId, now, () =>
    memory.within(accountId, now, store, IMPORT_MIB),
  );
  if (outcome !== "full") return;
  throw new ServiceError(
    "import_failed",
    `The source does not report its file's size, and the service is fetching too many such files at the moment, of this account or of all. ${TRY_AGAIN}, or upload the file.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

async function copyInto(writer: SizedWriter | PartsWriter, source: ImportSource): Promise<void> {
  try {
    for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
      await writer.write(bytes);
    }
    await writer.finish();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Deletes the bytes first: as long as they may exist, the sweep finds them by the record. */
async function forget(
  { media, uploads }: Platform,
  accountId: string,
  taskId: string,
  received: number,
): Promise<void> {
  try {
    await media.delete([inputKey(accountId, taskId)]);
    await uploads.noteSize(taskId, received);
    await uploads.delete([taskId]);
  } catch (error) {
    log("warn", "import_not_forgotten", { account: accountId, taskId, reason: reasonOf(error) });
  }
}

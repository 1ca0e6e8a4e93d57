import type { RecordedUpload } from "../rules/upload.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import type { Platform } from "../../platform.ts";
import { type PartsUpload, PartsWriter, SizedWriter } from "../store/writers.ts";

/** Time until the next try if too many files of unknown size are being fetched. */
const RETRY_SECONDS = 30;
/** Memory of such an import: a part of its file. */
export const IMPORT_MIB = 8;

/** A file that arrives in pieces; each method throws a ServiceError if it does not arrive as it should. */
export interface ArrivingFile {
  /** The content type that its sender declares; null if there is none. */
  readonly contentType: string | null;
  /** Its size in bytes, which is enforced; null if it is unknown. */
  readonly size: number | null;
  /** The size that it cannot exceed, if that is known beforehand. */
  readonly mostBytes?: number;
  /** The number of bytes that have arrived, read or not. */
  readonly received: number;
  /** Returns the first bytes, up to `length`. `read` still starts with the first one. */
  readonly peek: (length: number) => Promise<Uint8Array>;
  /** Limits its size. @throws ServiceError upload_too_large, now or once the limit is exceeded. */
  readonly refuseMoreThan: (bytes: number) => void;
  /** Returns the next bytes; null after the last. */
  readonly read: () => Promise<Uint8Array | null>;
}

/** Stores a file of unknown size, which takes memory for a part of it: at most `IMPORT_MIB`. */
export type Buffered = (store: () => Promise<void>) => Promise<void>;

/**
 * Stores a file's bytes as the object of a recorded upload, and notes their number, which counts as uploaded. If it fails,
 * neither object nor record remains; the bytes received still count. Returns the object's size.
 * @throws ServiceError as `file` and `buffered`.
 */
export async function storeFile(
  platform: Platform,
  accountId: string,
  { taskId, contentType }: RecordedUpload,
  file: ArrivingFile,
  buffered: Buffered,
): Promise<number> {
  const key = inputKey(accountId, taskId);
  const { media } = platform;
  try {
    if (file.size !== null) await copyInto(new SizedWriter(media, key, { contentType }, file.size), file);
    else await buffered(() => copyInto(new PartsWriter(media, key, { contentType }, newParts(file)), file));
    await platform.uploads.noteSize(taskId, file.received);
    return file.received;
  } catch (error) {
    await forgetUpload(platform, accountId, taskId, file.received);
    throw error;
  }
}

const newParts = ({ mostBytes }: ArrivingFile): PartsUpload => ({
  uploadId: null,
  begun: () => Promise.resolve(),
  ...(mostBytes !== undefined && { mostBytes }),
});

/** Holds the memory of an import. @throws ServiceError import_failed if not enough is left. */
export const asImport =
  ({ bufferedImports, memory }: Platform, accountId: string): Buffered =>
  async (store) => {
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
  };

async function copyInto(writer: SizedWriter | PartsWriter, file: ArrivingFile): Promise<void> {
  try {
    for (let bytes = await file.read(); bytes !== null; bytes = await file.read()) {
      await writer.write(bytes);
    }
    await writer.finish();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/**
 * Forgets an upload that its client never learns of; its bytes still count. Deletes the bytes first: as long as they may exist,
 * the sweep finds them by the record.
 */
export async function forgetUpload(
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
    log("warn", "upload_not_forgotten", { account: accountId, taskId, reason: reasonOf(error) });
  }
}

import { ServiceError } from "../../shared/errors.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import { contentTypeOf, SNIFF_BYTES } from "../../shared/bucket/media-type.ts";
import type { ImportedUpload } from "../../uploads/contract/upload.ts";
import { createUploadPresign, importUpload } from "../../uploads/operations/uploads.ts";
import type { Requester } from "./requester.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A picture that a request names or contains. `contentType` is the declared type; `read` fetches the file of a path. */
export type Source =
  | { readonly taskId: string }
  | { readonly url: string }
  | { readonly path: string; readonly read: () => Promise<Bytes> }
  | { readonly bytes: Bytes; readonly contentType: string | null };
export type NewSource = Exclude<Source, { taskId: string }>;

/** A new upload, and its size in bytes. */
type StoredPicture = Pick<ImportedUpload, "taskId" | "size">;

/**
 * Stores a picture as a new upload.
 * @throws ServiceError as createUploadPresign and importUpload; import_type_unsupported.
 */
export async function newUpload(client: Requester, source: NewSource): Promise<StoredPicture> {
  if ("url" in source) {
    const importing = importUpload({ ...client, body: { url: source.url } }, client.gone);
    client.keep(importing);
    return importing;
  }
  return "path" in source
    ? stored(client, await source.read(), null)
    : stored(client, source.bytes, source.contentType);
}

async function stored(client: Requester, bytes: Bytes, declared: string | null): Promise<StoredPicture> {
  const contentType = contentTypeOf(bytes.subarray(0, SNIFF_BYTES), declared);
  if (contentType === null)
    throw new ServiceError(
      "import_type_unsupported",
      "The data is neither a picture nor a video. Send a file.",
    );
  const { platform, account } = client;
  const upload = { contentType, size: bytes.length };
  const { taskId } = await createUploadPresign({ ...client, body: upload });
  await platform.media.write(inputKey(account.accountId, taskId), bytes, { contentType });
  return { taskId, size: bytes.length };
}

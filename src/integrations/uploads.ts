import { ServiceError } from "../shared/errors.ts";
import { sha256Hex } from "../shared/digest.ts";
import { inputKey } from "../shared/bucket/object-keys.ts";
import { contentTypeOf, SNIFF_BYTES } from "../shared/bucket/media-type.ts";
import { boundAccount } from "../accounts/operations/authenticate.ts";
import { createUploadPresign, importUpload } from "../uploads/operations/uploads.ts";
import type { BridgeClient } from "./client.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A picture that a tool names or sends. `contentType` is the declared type; `read` fetches the file of a path. */
export type Source =
  | { readonly taskId: string }
  | { readonly url: string }
  | { readonly path: string; readonly read: () => Promise<Bytes> }
  | { readonly bytes: Bytes; readonly contentType: string | null };
type NewSource = Exclude<Source, { taskId: string }>;

/** Returns the key by which a picture is recognized, for only an hour: a file at a URL or a path may change. */
export async function keyOf(source: Source): Promise<string> {
  if ("taskId" in source) return source.taskId;
  if ("url" in source) return `url ${await sha256Hex(source.url)}`;
  return "path" in source ? `path ${await sha256Hex(source.path)}` : `bytes ${await sha256Hex(source.bytes)}`;
}

/**
 * Returns the upload of a picture: `known`, or a new upload that the next request for the picture reuses.
 * @throws ServiceError as createUploadPresign and importUpload; import_type_unsupported.
 */
export async function uploadOf(
  client: BridgeClient,
  source: Source,
  key: string,
  known: string | undefined,
): Promise<string> {
  if ("taskId" in source) return source.taskId;
  if (known !== undefined) return known;
  const { platform, account } = client;
  await boundAccount(platform, account.accountId);
  const taskId = await newUpload(client, source);
  await platform.repeatedRequests.keep(account.accountId, key, taskId, Date.now());
  return taskId;
}

/** Time for which the same request gets the same job, and a picture the same upload. */
export const REPEATED_MS = 3_600_000;

/** Stores a picture without creating a job. @throws ServiceError as uploadOf. */
export async function storedOnce(client: BridgeClient, source: NewSource): Promise<string> {
  const { platform, account } = client;
  const key = await keyOf(source);
  const since = Date.now() - REPEATED_MS;
  const { uploads } = await platform.repeatedRequests.recall(account.accountId, "", [key], since);
  return uploadOf(client, source, key, uploads.get(key));
}

async function newUpload(client: BridgeClient, source: NewSource): Promise<string> {
  if ("url" in source) return imported(client, source.url);
  return "path" in source
    ? stored(client, await source.read(), null)
    : stored(client, source.bytes, source.contentType);
}

async function imported(client: BridgeClient, url: string): Promise<string> {
  const importing = importUpload({ ...client, body: { url } }, client.gone);
  client.keep(importing);
  return (await importing).taskId;
}

async function stored(client: BridgeClient, bytes: Bytes, declared: string | null): Promise<string> {
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
  return taskId;
}

import { decodeBase64 } from "hono/utils/encode";
import { ServiceError } from "../core/errors.ts";
import { sha256Hex } from "../core/lib/digest.ts";
import { inputKey } from "../core/object-keys.ts";
import { contentTypeOf, SNIFF_BYTES } from "../core/uploads/media-type.ts";
import { boundAccount } from "../services/authenticate.ts";
import { createUploadPresign, importUpload } from "../services/operations/uploads.ts";
import type { BridgeClient } from "./client.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A picture that a tool names or sends. `contentType` is what it declares; `read` fetches the file of a path. */
export type Source =
  | { readonly taskId: string }
  | { readonly url: string }
  | { readonly path: string; readonly read: () => Promise<Bytes> }
  | { readonly bytes: Bytes; readonly contentType: string | null };
type NewSource = Exclude<Source, { taskId: string }>;

/**
 * The upload of a picture. One that the account has sent or named within the last hour keeps its upload, so that a further click
 * on it stores nothing.
 * @throws ServiceError as createUploadPresign and importUpload; import_type_unsupported.
 */
export async function uploadOf(client: BridgeClient, source: Source): Promise<string> {
  if ("taskId" in source) return source.taskId;
  const { platform, account } = client;
  const key = await keyOf(client, source);
  const known = platform.sentAgain.get(key, Date.now());
  if (known !== undefined) return known;
  await boundAccount(platform, account.accountId);
  const taskId = await newUpload(client, source);
  platform.sentAgain.put(key, taskId, Date.now());
  return taskId;
}

/** Forgets the upload of a picture, which is no longer there. Returns whether there was one to forget. */
export async function forgetUpload(client: BridgeClient, source: Source): Promise<boolean> {
  if ("taskId" in source) return false;
  const key = await keyOf(client, source);
  const isKnown = client.platform.sentAgain.get(key, Date.now()) !== undefined;
  client.platform.sentAgain.delete(key);
  return isKnown;
}

async function keyOf({ account }: BridgeClient, source: NewSource): Promise<string> {
  const name = "url" in source ? source.url : "path" in source ? source.path : source.bytes;
  return `${account.accountId} picture ${await sha256Hex(name)}`;
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

/** The bytes of a text in base64. @throws ServiceError invalid_request. */
export function bytesOfBase64(text: string): Bytes {
  try {
    return decodeBase64(text);
  } catch {
    throw new ServiceError("invalid_request", "The picture is not in base64. Encode the file's bytes.");
  }
}

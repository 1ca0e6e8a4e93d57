import { sha256Hex } from "../shared/digest.ts";
import { boundAccount } from "../accounts/operations/authenticate.ts";
import { type NewSource, newUpload, type Source } from "../segment/operations/new-upload.ts";
import type { Requester } from "../segment/operations/requester.ts";

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
  client: Requester,
  source: Source,
  key: string,
  known: string | undefined,
): Promise<string> {
  if ("taskId" in source) return source.taskId;
  if (known !== undefined) return known;
  const { platform, account } = client;
  await boundAccount(platform, account.accountId);
  const { taskId } = await newUpload(client, source);
  await platform.repeatedRequests.keep(account.accountId, key, taskId, Date.now());
  return taskId;
}

/** Time for which the same request gets the same job, and a picture the same upload. */
export const REPEATED_MS = 3_600_000;

/** Stores a picture without creating a job. @throws ServiceError as uploadOf. */
export async function storedOnce(client: Requester, source: NewSource): Promise<string> {
  const { platform, account } = client;
  const key = await keyOf(source);
  const since = Date.now() - REPEATED_MS;
  const { uploads } = await platform.repeatedRequests.recall(account.accountId, "", [key], since);
  return uploadOf(client, source, key, uploads.get(key));
}

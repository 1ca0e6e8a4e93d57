import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";
import { persist } from "../http/retry.ts";
import { assertContent, contentTypeOf, type Source, UNKNOWN_TYPE } from "./input.ts";
import { put, type Sending, signed, type UploadOptions } from "./put.ts";
import type { SendFile } from "./send-file.ts";
import { sendInParts } from "./send-in-parts.ts";

/** A file that is in the storage. */
export interface Uploaded {
  readonly taskId: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

/** The service has four minutes to fetch a file. */
const IMPORT_MS = 300_000;
/** The client sends a larger file in parts: a lost connection costs only a part. In bytes. */
const MOST_AT_ONCE = 64_000_000;

/**
 * Uploads a file, unless it is uploaded already. The service itself fetches a file at a public URL, if it can. It does
 * not if a later run of the program may repeat the upload: it would import the file again.
 * @throws SegmentationError
 */
export async function uploadSource(
  connection: Connection,
  send: SendFile,
  { from, name }: Source,
  options: UploadOptions,
): Promise<Uploaded> {
  if ("taskId" in from) return { taskId: from.taskId, contentType: UNKNOWN_TYPE, size: 0 };
  const imported =
    from instanceof URL && !options.idempotencyKey ? await importFrom(connection, from, options) : undefined;
  if (imported !== undefined) return imported;
  const file = from instanceof URL ? await connection.download(from.href, readBlob, options) : from;
  assertContent(file, name);
  const contentType = await contentTypeOf(file, name);
  const taskId = await uploadFile({ connection, send, file, name, contentType, options });
  return { taskId, contentType, size: file.size };
}

const isOneOf = (error: unknown, ...codes: string[]): boolean =>
  error instanceof SegmentationError && codes.includes(error.code);

/** Undefined if the service fetches nothing, or nothing from there. */
async function importFrom(
  connection: Connection,
  { protocol, hostname, href: url }: URL,
  { timeoutMs = IMPORT_MS, ...options }: UploadOptions,
): Promise<Uploaded | undefined> {
  // A service on this machine may fetch from it.
  if (protocol !== "https:" && hostname !== "127.0.0.1") return undefined;
  try {
    return (await askFor(connection, "importUpload", { url }, { ...options, timeoutMs })).data;
  } catch (error) {
    if (!isOneOf(error, "not_found", "url_forbidden")) throw error;
    return undefined;
  }
}

/**
 * Sends a file, and returns its taskId. Uses parts if it is large, or if a later run of the program may repeat the
 * upload: only the upload in parts has an Idempotency-Key.
 */
async function uploadFile(sending: Sending): Promise<string> {
  const { file, options } = sending;
  if (file.size > MOST_AT_ONCE || options.idempotencyKey) {
    try {
      return await sendInParts(sending);
    } catch (error) {
      // A service with only the operations of the specification lacks it.
      if (!isOneOf(error, "not_found", "method_not_allowed")) throw error;
    }
  }
  return await sendAtOnce(sending);
}

async function sendAtOnce(sending: Sending): Promise<string> {
  const { connection, file, contentType, options } = sending;
  const request = { contentType, size: file.size };
  const { idempotencyKey: _, ...call } = options;
  const sign = () => signed(() => askFor(connection, "createUploadPresign", request, call));
  // One place for all attempts: places without a file count against the account.
  let { place, until } = await sign();
  await persist(connection, options, async () => {
    if (Date.now() > until) ({ place, until } = await sign());
    return await put(sending, place.uploadUrl, file, contentType);
  });
  return place.taskId;
}

import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Answered, Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";
import { storageRefusal } from "../http/refusal.ts";
import { persist } from "../http/retry.ts";
import type { RequestOptions } from "../options.ts";
import { contentTypeOf, type Source } from "./input.ts";
import type { SendFile } from "./send-file.ts";

/** A file that is in the storage. */
export interface Uploaded {
  readonly taskId: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

interface UploadOptions extends RequestOptions {
  /** Called with the number of the file's bytes that have been sent. */
  readonly onBytes: (bytes: number) => void;
}

/** The service has four minutes to fetch a file. */
const IMPORT_MS = 300_000;
/** An upload URL with less time left than this is not used. */
const MARGIN_MS = 30_000;
/** A larger file is sent in parts: what a lost connection costs is a part. In bytes. */
const MOST_AT_ONCE = 64_000_000;

/**
 * Uploads a file. The service fetches a file at a public URL itself, if it can, and if no later run of the program may repeat the
 * upload: it would import the file again. @throws SegmentationError
 */
export async function uploadSource(
  connection: Connection,
  send: SendFile,
  { from }: Source,
  options: UploadOptions,
): Promise<Uploaded> {
  const imported =
    from instanceof URL && !options.idempotencyKey ? await importFrom(connection, from, options) : undefined;
  if (imported !== undefined) return imported;
  const file = from instanceof URL ? await connection.download(from.href, readBlob, options) : from;
  const contentType = await contentTypeOf(file);
  const taskId = await uploadFile({ connection, send, file, contentType, options });
  return { taskId, contentType, size: file.size };
}

const isOneOf = (error: unknown, ...codes: string[]): boolean =>
  error instanceof SegmentationError && codes.includes(error.code);

/** Undefined if the service fetches nothing, or nothing from there. */
async function importFrom(
  connection: Connection,
  { protocol, href: url }: URL,
  { timeoutMs = IMPORT_MS, ...options }: UploadOptions,
): Promise<Uploaded | undefined> {
  if (protocol !== "https:") return undefined;
  try {
    return (await askFor(connection, "importUpload", { url }, { ...options, timeoutMs })).data;
  } catch (error) {
    if (!isOneOf(error, "not_found", "url_forbidden")) throw error;
    return undefined;
  }
}

/** A file on its way to the storage. */
interface Sending {
  readonly connection: Connection;
  readonly send: SendFile;
  readonly file: Blob;
  readonly contentType: string;
  readonly options: UploadOptions;
}

/**
 * Sends a file, and returns its taskId: in parts if it is large, or if a later run of the program may repeat the upload, which
 * only the upload in parts has an Idempotency-Key for.
 */
async function uploadFile(sending: Sending): Promise<string> {
  const { file, options } = sending;
  if (file.size > MOST_AT_ONCE || (file.size > 0 && options.idempotencyKey)) {
    try {
      return await sendInParts(sending);
    } catch (error) {
      // An older service has no such operation.
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

async function sendInParts(sending: Sending): Promise<string> {
  const { connection, file, contentType, options } = sending;
  const request = { contentType, size: file.size };
  const call = { ...options, idempotencyKey: options.idempotencyKey || crypto.randomUUID() };
  // With the same key it is the same upload, with new URLs.
  const sign = () => signed(() => askFor(connection, "createMultipartUpload", request, call));
  let { place, until } = await sign();
  const { taskId, parts } = place;
  const sent: { partNumber: number; etag: string }[] = [];
  let before = 0;
  for (const [i, { partNumber, size }] of parts.entries()) {
    const part = file.slice(before, before + size);
    const { headers } = await persist(connection, options, async () => {
      if (Date.now() > until) ({ place, until } = await sign());
      return await put(sending, place.parts[i]?.uploadUrl ?? "", part, undefined, before);
    });
    const etag = headers.get("etag");
    if (etag === null)
      throw new SegmentationError(
        "storage_refused",
        "The storage hides its ETags. Its CORS rule has to expose etag.",
      );
    sent.push({ partNumber, etag });
    before += size;
  }
  // Without parts, an earlier run has completed it.
  if (sent.length === 0) options.onBytes(file.size);
  else
    await askFor(
      connection,
      "completeMultipartUpload",
      { taskId, parts: sent },
      { ...call, idempotencyKey: "" },
    );
  return taskId;
}

/** What the service has signed, and until when (epoch ms) it is used. */
async function signed<Place extends { readonly expiresIn: number }>(ask: () => Promise<Answered<Place>>) {
  const askedAt = Date.now();
  const { data: place } = await ask();
  return { place, until: askedAt + place.expiresIn * 1_000 - MARGIN_MS };
}

/** Sends a file, or the part of it that `before` bytes precede. @throws SegmentationError */
async function put(
  { connection, send, options }: Sending,
  url: string,
  file: Blob,
  contentType: string | undefined,
  before = 0,
): Promise<Response> {
  const onBytes = (bytes: number): void => options.onBytes(before + bytes);
  return await connection.exchange(options, async (exchange) => {
    const response = await exchange.within(send({ connection, url, file, contentType, exchange, onBytes }));
    if (!response.ok) throw await exchange.within(storageRefusal(response));
    return response;
  });
}

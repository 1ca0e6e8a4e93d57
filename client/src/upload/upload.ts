import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";
import { storageRefusal } from "../http/refusal.ts";
import { persist } from "../http/retry.ts";
import type { Upload } from "../schemas.ts";
import { contentTypeOf, type Source } from "./input.ts";
import type { SendFile } from "./send-file.ts";

/** A file that is in the storage. */
export interface Uploaded {
  readonly taskId: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

interface UploadOptions {
  readonly signal: AbortSignal | undefined;
  readonly onBytes: (bytes: number) => void;
}

/** The service has four minutes to fetch a file. */
const IMPORT_MS = 300_000;
/** An upload URL with less time left than this is not used. */
const MARGIN_MS = 30_000;

/** Uploads a file. The service fetches a file at a public URL itself, if it can. @throws SegmentationError */
export async function uploadSource(
  connection: Connection,
  send: SendFile,
  { from }: Source,
  options: UploadOptions,
): Promise<Uploaded> {
  const { signal } = options;
  const imported = from instanceof URL ? await importFrom(connection, from, signal) : undefined;
  if (imported !== undefined) return imported;
  const file = from instanceof URL ? await connection.download(from.href, readBlob, signal) : from;
  const contentType = await contentTypeOf(file);
  return {
    taskId: await uploadFile(connection, send, file, contentType, options),
    contentType,
    size: file.size,
  };
}

/** Undefined if the service fetches nothing, or nothing from there. */
async function importFrom(
  connection: Connection,
  { protocol, href: url }: URL,
  signal: AbortSignal | undefined,
): Promise<Uploaded | undefined> {
  if (protocol !== "https:") return undefined;
  try {
    return (await askFor(connection, "importUpload", { url }, { signal, timeoutMs: IMPORT_MS })).data;
  } catch (error) {
    if (!(error instanceof SegmentationError)) throw error;
    if (error.code !== "not_found" && error.code !== "url_forbidden") throw error;
    return undefined;
  }
}

/** Gets a place in the storage, sends the file there, again where a failure may pass, and returns its taskId. */
async function uploadFile(
  connection: Connection,
  send: SendFile,
  file: Blob,
  contentType: string,
  { signal, onBytes }: UploadOptions,
): Promise<string> {
  const sign = async (): Promise<readonly [place: Upload, goodUntil: number]> => {
    const askedAt = Date.now();
    const { data: place } = await askFor(
      connection,
      "createUploadPresign",
      { contentType, size: file.size },
      { signal },
    );
    return [place, askedAt + place.expiresIn * 1_000 - MARGIN_MS];
  };
  // One place for all attempts: places without a file count against the account.
  let [place, goodUntil] = await sign();
  return await persist(connection, signal, async () => {
    if (Date.now() > goodUntil) [place, goodUntil] = await sign();
    return await connection.exchange({ signal }, async (exchange) => {
      const url = place.uploadUrl;
      const response = await exchange.within(send({ connection, url, file, contentType, exchange, onBytes }));
      if (!response.ok) throw await exchange.within(storageRefusal(response));
      return place.taskId;
    });
  });
}

import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";
import { contentTypeOf } from "./content-type.ts";
import type { Source } from "./input.ts";
import type { SendFile } from "./send-file.ts";
import { uploadFile } from "./upload.ts";

/** What became of a source. */
export interface Uploaded {
  readonly taskId: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

/** The service has four minutes to fetch a file. */
const IMPORT_MS = 300_000;

/** Uploads a file. One at a public address the service fetches by itself, if it can. @throws SegmentationError */
export async function uploadSource(
  connection: Connection,
  send: SendFile,
  { from }: Source,
  {
    signal,
    onBytes,
  }: { readonly signal: AbortSignal | undefined; readonly onBytes: (bytes: number) => void },
): Promise<Uploaded> {
  const imported = from instanceof URL ? await importFrom(connection, from, signal) : undefined;
  if (imported !== undefined) return imported;
  const file = from instanceof URL ? await connection.storage(from.href, {}, readBlob, signal) : from;
  const contentType = await contentTypeOf(file);
  const taskId = await uploadFile(connection, send, file, contentType, { signal, onBytes });
  return { taskId, contentType, size: file.size };
}

/** Nothing if the service fetches nothing, or nothing from there. */
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

import type { Answered, Connection } from "../http/connection.ts";
import { storageRefusal } from "../http/refusal.ts";
import type { RequestOptions } from "../options.ts";
import type { SendFile } from "./send-file.ts";

export interface UploadOptions extends RequestOptions {
  /** Called with the number of the file's bytes that have been sent. */
  readonly onBytes: (bytes: number) => void;
}

/** A file on its way to the storage. */
export interface Sending {
  readonly connection: Connection;
  readonly send: SendFile;
  readonly file: Blob;
  readonly contentType: string;
  readonly options: UploadOptions;
}

/** An upload URL with less time left than this is not used. */
const MARGIN_MS = 30_000;

/** What the service has signed, and until when (epoch ms) it is used. */
export async function signed<Place extends { readonly expiresIn: number }>(
  ask: () => Promise<Answered<Place>>,
) {
  const askedAt = Date.now();
  const { data: place } = await ask();
  return { place, until: askedAt + place.expiresIn * 1_000 - MARGIN_MS };
}

/** Sends a file, or the part of it that `before` bytes precede. @throws SegmentationError */
export async function put(
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

import { invalidInput } from "../errors.ts";
import type { Answered, Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";
import { storageRefusal } from "../http/refusal.ts";
import type { RequestOptions } from "../options.ts";
import type { SendFile } from "./send-file.ts";

export interface UploadOptions extends RequestOptions {
  /** Called with the number of the file's bytes sent so far. */
  readonly onBytes: (bytes: number) => void;
}

/** A file on its way to the storage. */
export interface Sending {
  readonly connection: Connection;
  readonly send: SendFile;
  readonly file: Blob;
  readonly name: string | undefined;
  readonly contentType: string;
  readonly options: UploadOptions;
}

/** The client uses no upload URL with less time left. */
const MARGIN_MS = 30_000;

/** Signed URLs of the service, and the time (epoch ms) until which the client uses them. */
export async function signed<Place extends { readonly expiresIn: number }>(
  ask: () => Promise<Answered<Place>>,
) {
  const askedAt = Date.now();
  const { data: place } = await ask();
  return { place, until: askedAt + place.expiresIn * 1_000 - MARGIN_MS };
}

/** Sends a file, or the part of it that `before` bytes precede. @throws SegmentationError */
export async function put(
  { connection, send, name = "The input", options }: Sending,
  url: string,
  file: Blob,
  contentType: string | undefined,
  before = 0,
): Promise<Response> {
  return await connection.exchange(options, async (exchange) => {
    const onBytes = (bytes: number): void => {
      try {
        options.onBytes(before + bytes);
      } catch (error) {
        exchange.fail(error);
      }
    };
    const sending = { connection, url, file, contentType, exchange, onBytes };
    const response = await exchange.within(send(sending)).catch(async (error: unknown) => {
      await assertUnchanged(file, name, error);
      throw error;
    });
    if (!response.ok) throw await exchange.within(storageRefusal(response));
    // Once its body is read, the connection can serve the next request.
    await exchange.within(readBlob(response, exchange.alive));
    return response;
  });
}

/** A platform fails to send a file that has changed as if the network had failed. */
async function assertUnchanged(file: Blob, name: string, cause: unknown): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw invalidInput(`${name} has changed while it was sent. Send it once it is complete.`, { cause });
  }
}

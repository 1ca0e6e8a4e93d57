import { askFor } from "../api/api.ts";
import type { Connection } from "../http/connection.ts";
import { Exchange } from "../http/exchange.ts";
import { storageRefusal } from "../http/refusal.ts";
import { persist } from "../http/retry.ts";
import type { Upload } from "../schemas.ts";
import type { SendFile } from "./send-file.ts";

/** A URL that has less of its life left is not used any more. */
const MARGIN_MS = 30_000;

/** Gets a place in the storage, sends the file there, again where a failure may pass, and returns its taskId. */
export async function uploadFile(
  connection: Connection,
  send: SendFile,
  file: Blob,
  contentType: string,
  {
    signal,
    onBytes,
  }: { readonly signal: AbortSignal | undefined; readonly onBytes: (bytes: number) => void },
): Promise<string> {
  const sign = async (): Promise<readonly [place: Upload, goodUntil: number]> => {
    const askedAt = Date.now();
    const { data: place } = await askFor(connection, "createUploadPresign", { contentType }, { signal });
    return [place, askedAt + place.expiresIn * 1_000 - MARGIN_MS];
  };
  // One place for all attempts: places without a file count against the account.
  let [place, goodUntil] = await sign();
  return await persist(connection, signal, async () => {
    if (Date.now() > goodUntil) [place, goodUntil] = await sign();
    const exchange = new Exchange(connection.timeoutMs, signal);
    try {
      const url = place.uploadUrl;
      const response = await exchange.within(send({ connection, url, file, contentType, exchange, onBytes }));
      if (!response.ok) throw await exchange.within(storageRefusal(response));
      return place.taskId;
    } finally {
      exchange.close();
    }
  });
}

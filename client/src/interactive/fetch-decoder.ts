import { hexOf } from "@segmentation/masks";
import type { Api } from "../api/operations.ts";
import { invalidInput, SegmentationError } from "../errors.ts";

/** The part of a client that fetches a decoder. */
interface DecoderSource {
  readonly api: Pick<Api, "retrieveModel">;
  download(url: string): Promise<Blob>;
}

/** A service that has just been started puts its decoder into the bucket at the first request for the model. */
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/**
 * Fetches the decoder of a service's model, about 16 MB. Browsers keep it.
 * @throws SegmentationError `invalid_input` if the model has none
 */
export async function fetchDecoder(client: DecoderSource): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    const { interactive, formats } = await client.api.retrieveModel();
    if (interactive !== undefined) return await download(client, interactive.decoder);
    if (!formats.includes("embedding"))
      throw invalidInput(
        "The service's model returns no embeddings: its masks can only be drawn by the service.",
      );
    if (attempt === ATTEMPTS)
      throw invalidInput("The service has not stored its model's decoder yet. Try again later.");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function download(
  client: DecoderSource,
  { url, sha256 }: { readonly url: string; readonly sha256: string },
): Promise<Uint8Array> {
  const file = await (await client.download(url)).arrayBuffer();
  if (hexOf(await crypto.subtle.digest("SHA-256", file)) !== sha256)
    throw new SegmentationError(
      "unreadable_answer",
      "The decoder is damaged: its digest is not the model's.",
    );
  return new Uint8Array(file);
}

import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import { persist } from "../http/retry.ts";
import { put, type Sending, signed } from "./put.ts";

/** Sends a file in parts, one after the other, and returns its taskId. @throws SegmentationError */
export async function sendInParts(sending: Sending): Promise<string> {
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

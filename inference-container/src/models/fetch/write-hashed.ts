import type { Hash } from "node:crypto";
import { open } from "node:fs/promises";

/**
 * Writes a stream to a file; appends with the flag "a". If the stream breaks, the file keeps the bytes before.
 * @param hash is updated with the bytes
 * @param onBytes receives their number as they come; an error that it throws ends the writing
 */
export async function writeHashed(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  hash: Hash,
  { flags = "w", onBytes = () => {} }: { flags?: "a" | "w"; onBytes?: (count: number) => void } = {},
): Promise<void> {
  const file = await open(path, flags);
  try {
    for await (const chunk of stream) {
      onBytes(chunk.length);
      hash.update(chunk);
      await file.appendFile(chunk);
    }
  } finally {
    await file.close();
  }
}

import type { Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * Writes a stream to a file, at its end with the flag "a".
 * @param hash is updated with the bytes
 * @param onBytes is called with their number as they come; what it throws ends the writing
 */
export async function writeHashed(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  hash: Hash,
  { flags = "w", onBytes = () => {} }: { flags?: "a" | "w"; onBytes?: (count: number) => void } = {},
): Promise<void> {
  await pipeline(
    stream,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        onBytes(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { flags }),
  );
}

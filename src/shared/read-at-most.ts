/** Reads a body of at most this many bytes; returns null for a larger one, and stops reading. */
export async function readAtMost(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The bytes of a body that may have so many at most; null for a larger one, of which no more is read. */
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

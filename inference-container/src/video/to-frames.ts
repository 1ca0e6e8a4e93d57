/** Cuts a stream of bytes into frames of `length` bytes, each in memory of its own; an unfinished last one is dropped. */
export async function* toFrames(
  pieces: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let frame = new Uint8Array(length);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < length) continue;
      yield frame;
      frame = new Uint8Array(length);
      filled = 0;
    }
  }
}

/** Silence after which a download fails, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * Runs a download whose signal aborts after half a minute without bytes.
 * @param download calls `onBytes` with the number of bytes as they come
 */
export async function whileBytesCome<T>(
  download: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>,
  onBytes: (count: number) => void,
): Promise<T> {
  const silence = new AbortController();
  const idle = setTimeout(() => silence.abort(new Error("nothing came for half a minute")), IDLE_MS);
  try {
    return await download(silence.signal, (count) => {
      idle.refresh();
      onBytes(count);
    });
  } finally {
    clearTimeout(idle);
  }
}

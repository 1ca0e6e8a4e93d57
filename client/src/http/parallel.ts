/**
 * Maps all items, at most `limit` at the same time; the results keep the items' order. After a failure it begins no
 * further item, aborts the `signal` of those in progress, waits for them, and throws the first failure. An abort of
 * `outer` counts as a failure.
 */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  outer: AbortSignal | undefined,
  map: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const control = new AbortController();
  const { signal } = control;
  const forward = (): void => control.abort(outer?.reason);
  outer?.addEventListener("abort", forward);
  if (outer?.aborted) forward();
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (signal.aborted) return;
      await map(item, index, signal).then(
        (result) => (results[index] = result),
        (error: unknown) => control.abort(error),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  outer?.removeEventListener("abort", forward);
  signal.throwIfAborted();
  return results;
}

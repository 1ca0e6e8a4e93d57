/**
 * Maps all items, at most `limit` at the same time. The first failure aborts what is under way, and is thrown.
 */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  outer: AbortSignal | undefined,
  map: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const control = new AbortController();
  const forward = (): void => control.abort(outer?.reason);
  outer?.addEventListener("abort", forward);
  if (outer?.aborted === true) forward();
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      control.signal.throwIfAborted();
      results[index] = await map(item, index, control.signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
    return results;
  } catch (error) {
    control.abort(error);
    throw error;
  } finally {
    outer?.removeEventListener("abort", forward);
  }
}

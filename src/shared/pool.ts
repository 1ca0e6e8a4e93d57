/** A Worker has six connections at a time; more would only wait. */
export const CONNECTIONS = 6;

/** Maps with at most `width` promises pending; the results keep the items' order. The first failure rejects, and no item is begun after it. */
export async function mapPool<Item, Result>(
  items: readonly Item[],
  width: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const [i, item] of rest) {
      if (hasFailed) return;
      try {
        results[i] = await map(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

/**
 * Maps with at most `width` promises pending, and yields the results in the items' order. A failure rejects when its item's
 * turn comes. Stopping early waits until nothing is pending.
 */
export async function* mapAhead<Item, Result>(
  items: Iterable<Item>,
  width: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const ahead: Promise<Result>[] = [];
  try {
    for (const item of items) {
      const result = map(item);
      // It is awaited in its turn; until then it must not count as an unhandled rejection.
      result.catch(() => {});
      ahead.push(result);
      if (ahead.length < width) continue;
      const first = ahead.shift();
      if (first !== undefined) yield await first;
    }
    for (const result of ahead) yield await result;
  } finally {
    await Promise.allSettled(ahead);
  }
}

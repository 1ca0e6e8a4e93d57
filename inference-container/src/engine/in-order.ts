/**
 * Works on several items of a stream at once, reads one more ahead, and yields the results in the items' order. An
 * error ends the stream, and so does a consumer that stops early.
 *
 * @param ahead the number of items to work on at once, at least 1
 * @param stood receives the milliseconds spent waiting for an item while none was in progress
 */
export async function* inOrder<I, O>(
  items: AsyncIterable<I>,
  ahead: number,
  work: (item: I) => Promise<O>,
  stood: (ms: number) => void = () => undefined,
): AsyncGenerator<O> {
  const iterator = items[Symbol.asyncIterator]();
  const begun: Promise<O>[] = [];
  let reading: Promise<IteratorResult<I>> | undefined = handled(iterator.next());
  try {
    for (;;) {
      const [first] = begun;
      if (reading !== undefined && begun.length < ahead) {
        const since = performance.now();
        const item: IteratorResult<I> | undefined = await Promise.race([
          reading,
          ...(first === undefined ? [] : [first.then(() => undefined)]),
        ]);
        if (first === undefined) stood(performance.now() - since);
        if (item !== undefined) {
          if (item.done !== true) begun.push(handled(work(item.value)));
          reading = item.done === true ? undefined : handled(iterator.next());
          continue;
        }
      }
      if (first === undefined) return;
      yield await first;
      void begun.shift();
    }
  } finally {
    // Waits for all work in progress: a task that never ends must still be there to be blamed.
    await Promise.allSettled(begun);
    await iterator.return?.();
  }
}

/** The caller awaits the promise later; until then a failure must not count as unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Works on several items of a stream at once and gives the results in the items' order. One item more is read ahead. An
 * error ends it, and who stops listening ends the stream.
 *
 * @param ahead how many are worked on at once, at least 1
 * @param stood hears of the milliseconds in which nothing was at work and the next item was waited for
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
    // Whoever began work is to blame where it never ends, and has to be there as long.
    await Promise.allSettled(begun);
    await iterator.return?.();
  }
}

/** Awaited later; until then a failure must not count as unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

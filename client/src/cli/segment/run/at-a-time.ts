/** Lets one after the other in, in the order in which they come. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work once all that came before has ended. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/**
 * Does all tasks, `limit` at a time. After a failure no further one begins; those under way end first, and then the first
 * failure is thrown.
 */
export async function doAll(tasks: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const queue = tasks.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const task of queue) {
      if (failures.length > 0) return;
      await task().catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, work));
  if (failures.length > 0) throw failures[0];
}

import type { Usage } from "../../src/device/usage.ts";

/** A device that stands in for one of the runtime's: one at a time has it, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** @param usage hears when its turn begins and ends */
  run<T>(usage: Usage | undefined, work: () => Promise<T>): Promise<T> {
    usage?.asked();
    const turn = this.#last.then(async () => {
      usage?.began();
      try {
        return await work();
      } finally {
        usage?.ended(1);
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
